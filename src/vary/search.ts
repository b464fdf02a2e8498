/** Finds the variations that a test suite does not survive. It knows only which subset a run fails with, not the suite. */
import { absentRound, unitKind, kinds, lastRound, unitPlace, roundOf, slowRound } from './kinds.js'
import { listParts } from './lens.js'

export interface Finding {
  /** One unit, or several that fail only together. */
  readonly units: readonly string[]
  /** True if it is a note: only single records fail. Probably a test asserts the text of one. */
  readonly isOfRecord: boolean
  /** The number of three runs without the units that failed. */
  readonly failedWithout: number
}

/** A run of all units of a round, of some of them, or one that shows that they fail. */
export type SearchStage = 'round' | 'narrow' | 'confirm'

export interface SearchInput {
  readonly units: readonly string[]
  /** Runs the suite with some units. @returns True: it passes. Undefined: a limit is reached. */
  readonly run: (units: readonly string[], stage: SearchStage) => Promise<boolean | undefined>
}

class LimitReached extends Error {}

/** The runs that must fail for a finding. Of 1,000 suites that fail by chance in a fifth of their runs, one has a false finding. */
export const confirmations = 3

/** The most failures of a set of units of which none fails alone, until the suite counts as flaky. */
const mostMisses = 3

export async function search({ run, units }: SearchInput) {
  const findings: Finding[] = []
  const passed = new Set<string>()
  /** The results of runs without units. The baseline was the first of them. */
  const without = [true]
  /** True if a limit has ended the search, or the suite gives other results for the same units. */
  let isIncomplete = false
  /** True if equal runs have given different results. */
  let hasChanged = false
  /** True if every further and every missing property fails. */
  let comparesWholeBodies = false

  const fails = async (subset: readonly string[], stage: SearchStage): Promise<boolean> => {
    const passes = await run(subset, stage)
    if (passes === undefined) throw new LimitReached()
    return !passes
  }

  const failsEveryTime = async (subset: readonly string[]): Promise<boolean> => {
    for (let count = 0; count < confirmations; count++)
      if (!(await fails(subset, 'confirm'))) return !(hasChanged = true)
    return true
  }

  /** Tells whether units fail every time, and the suite passes at least 2 of 3 without them. One that was seen to be flaky must fail twice as often. */
  const isConfirmed = async (subset: readonly string[]): Promise<boolean> => {
    if (!(await failsEveryTime(subset))) return false
    while (without.length < 3) without.push(!(await fails([], 'confirm')))
    const isFlaky = hasChanged || without.includes(false)
    return without.filter(Boolean).length >= 2 && (!isFlaky || failsEveryTime(subset))
  }

  /** Finds the fewest units of a failing set that fail, next to others. Undefined: the failure was a chance. */
  const narrow = async (set: readonly string[], others: readonly string[]): Promise<readonly string[] | undefined> => {
    if (set.length === 1) return others.length > 0 || (await isConfirmed(set)) ? set : undefined
    const [one, other] = halve(set)
    for (const half of [one, other]) {
      const found = (await fails([...half, ...others], 'narrow')) && (await narrow(half, others))
      if (found) return found
    }
    // Neither half fails alone, so the units fail together, or the failure was a chance.
    if (!(await fails([...set, ...others], 'narrow'))) return void (hasChanged = true)
    const first = await narrow(one, [...other, ...others])
    const second = first && (await narrow(other, [...first, ...others]))
    return first && second && [...first, ...second]
  }

  /** Tells whether a unit fails with some single records only. A test that asserts the text of one record does that. */
  const failsForSingleRecords = async (unit: string): Promise<boolean> => {
    if (!kinds[unitKind(unit)]?.value) return false
    const failures: boolean[] = []
    for (const position of listParts) failures.push(await fails([`${unit} @${position}`], 'narrow'))
    return failures.includes(true) && failures.includes(false)
  }

  const tryRound = async (round: readonly string[]): Promise<void> => {
    const culprits = new Set(findings.flatMap((finding) => finding.units))
    for (let misses = 0; misses < mostMisses;) {
      const left = round.filter((unit) => !culprits.has(unit))
      if (left.length === 0) return
      if (!(await fails(left, 'round'))) return left.forEach((unit) => passed.add(unit))
      const found = await narrow(left, [])
      if (!found || (found.length > 1 && !(await isConfirmed(found)))) {
        misses++
        continue
      }
      const [unit = ''] = found
      const failedWithout = without.filter((passes) => !passes).length
      const isOfRecord = found.length === 1 && (await failsForSingleRecords(unit))
      findings.push({ units: found, isOfRecord, failedWithout })
      for (const each of found) culprits.add(each)
    }
    isIncomplete = true
  }

  /** Tells whether every unknown property is a finding, and every absence fails too. */
  const failsForAllProperties = async (): Promise<boolean> => {
    const found = new Set(findings.flatMap((finding) => (finding.isOfRecord ? [] : finding.units)))
    const added = units.filter((unit) => unitKind(unit) === 'unknown-property')
    const absent = units.filter((unit) => unitKind(unit) === 'absent')
    if (added.length === 0 || absent.length === 0 || !added.every((unit) => found.has(unit))) return false
    for (const unit of absent.slice(0, 5)) if (!(await fails([unit], 'narrow'))) return false
    return true
  }

  try {
    for (let number = 0; number <= lastRound; number++) {
      const round = units.filter((unit) => roundOf(unit) === number)
      if (number === absentRound && (comparesWholeBodies = await failsForAllProperties())) break
      for (const set of number === slowRound ? setsByBits(round) : [round]) await tryRound(set)
    }
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    isIncomplete = true
  }
  return { findings, passed, isIncomplete, comparesWholeBodies }
}

/** All operations that are slow hide a race, so a set has those whose index has a bit, or does not have it. */
function setsByBits(units: readonly string[]): readonly (readonly string[])[] {
  if (units.length <= 1) return [units]
  const bits = Array.from({ length: Math.ceil(Math.log2(units.length)) }, (_, bit) => bit)
  return bits.flatMap((bit) => [1, 0].map((value) => units.filter((_, index) => ((index >> bit) & 1) === value)))
}

/** Halves units by kind; those of one kind by place. */
function halve(units: readonly string[]): readonly [readonly string[], readonly string[]] {
  const by = new Set(units.map(unitKind)).size > 1 ? unitKind : unitPlace
  const values = [...new Set(units.map(by))]
  const first = new Set(values.slice(0, Math.ceil(values.length / 2)))
  return [units.filter((unit) => first.has(by(unit))), units.filter((unit) => !first.has(by(unit)))]
}
