import test from 'ava'

import { search } from '#src/vary/search.js'

import { often } from './helpers/repetitions.js'
import { seededRandom } from './helpers/seeded-random.js'

const operations = ['listOrders', 'createOrder', 'getOrder', 'replaceOrder', 'removeOrder', 'listUsers']
const texts = ['key-order', 'json-space', 'chunked', 'header-case', 'media-type-parameter']
const dates = ['Order.placedAt', 'Order.sentAt', 'User.since']
const units = [
  ...operations.map((id) => `slow ${id}`),
  ...texts.flatMap((kind) => operations.map((id) => `${kind} ${id} 200`)),
  ...dates.flatMap((place) => [`date-fraction ${place}`, `date-offset ${place}`]),
  ...['Order', 'User'].map((name) => `unknown-property ${name}`),
  ...['listOrders', 'listUsers'].map((id) => `order ${id} 200`),
]
const absences = ['Order.note', 'Order.tag', 'User.name'].map((place) => `absent ${place}`)

interface FakeSuite {
  /** Tells whether the suite fails with these units, if it does not fail by chance. */
  readonly fails: (has: (unit: string) => boolean, on: readonly string[]) => boolean
  /** The share of the runs that fail by chance. Default: none. */
  readonly flaky?: number
  readonly maxRuns?: number
  readonly seed?: number
  readonly all?: readonly string[]
}

/** Searches with a suite that is a function. */
async function searchSuite({ all = units, fails, flaky = 0, maxRuns = 60, seed = 1 }: FakeSuite) {
  const random = seededRandom(seed)
  let runs = 0
  const result = await search({
    units: all,
    run: (on) => {
      if (runs >= maxRuns) return Promise.resolve(undefined)
      runs++
      return Promise.resolve(!(fails((unit) => on.includes(unit), on) || random() < flaky))
    },
  })
  return { ...result, runs }
}

const foundIn = ({ findings }: Awaited<ReturnType<typeof search>>): readonly string[] =>
  findings.map((finding) => finding.units.join(' + '))

for (const unit of ['order listOrders 200', 'date-offset Order.sentAt', 'chunked getOrder 200', 'slow listUsers'])
  test(`a suite that fails with ${unit} has this finding, the same each time, in less than 30 runs`, async (t) => {
    const results = [await searchSuite({ fails: (has) => has(unit) }), await searchSuite({ fails: (has) => has(unit) })]
    for (const result of results) {
      t.deepEqual(foundIn(result), [unit])
      t.false(result.isIncomplete)
      t.true(result.runs < 30, String(result.runs))
      t.deepEqual([...result.passed].toSorted(), units.filter((each) => each !== unit).toSorted())
    }
    t.deepEqual(results[0], results[1])
  })

test('a suite that survives everything takes one run for each round, and those of slow operations', async (t) => {
  const result = await searchSuite({ fails: () => false })
  t.deepEqual([foundIn(result), result.runs, result.passed.size], [[], 2 + 2 * 3, units.length])
})

test('several findings are all found, also units that fail only together', async (t) => {
  const sets = [
    ['key-order getOrder 200', 'date-offset User.since'],
    ['order listUsers 200'],
    ['unknown-property Order'],
  ]
  const result = await searchSuite({ fails: (has) => sets.some((set) => set.every(has)) })
  const found = sets.map((set) => set.join(' + '))
  t.deepEqual(foundIn(result).toSorted(), found)
})

test('all operations that are slow hide a race, which sets of them show', async (t) => {
  const isRace = (has: (unit: string) => boolean): boolean => has('slow getOrder') && !has('slow listOrders')
  t.deepEqual(foundIn(await searchSuite({ fails: isRace })), ['slow getOrder'])
  t.deepEqual(foundIn(await searchSuite({ all: ['slow getOrder'], fails: isRace })), ['slow getOrder'])
})

test('a unit that fails for some records only is a note', async (t) => {
  const unit = 'date-offset Order.placedAt'
  const [note] = (await searchSuite({ fails: (has) => has(unit) || has(`${unit} @first`) })).findings
  t.like(note, { units: [unit], isOfRecord: true })
  const parts = ['first', 'middle', 'last'].map((part) => `${unit} @${part}`)
  const [finding] = (await searchSuite({ fails: (has) => has(unit) || parts.some(has) })).findings
  t.like(finding, { units: [unit], isOfRecord: false })
})

test('if every further and every missing property fails, the search ends with one statement', async (t) => {
  const all = [...units, ...absences, 'null Order.note']
  const fails = (_: unknown, on: readonly string[]): boolean =>
    on.some((unit) => /^(?:unknown-property|absent|null) /u.test(unit))
  const result = await searchSuite({ all, fails, maxRuns: 100 })
  t.true(result.comparesWholeBodies)
  t.deepEqual(foundIn(result), ['unknown-property Order', 'unknown-property User'])
  const some = await searchSuite({ all, fails: (has, on) => fails(has, on) && !has('absent Order.tag'), maxRuns: 100 })
  t.false(some.comparesWholeBodies)
})

test('a search that reaches its limit has what it found so far', async (t) => {
  const fails = (has: (unit: string) => boolean): boolean => has('chunked getOrder 200') || has('order listUsers 200')
  const { findings, isIncomplete, passed, runs } = await searchSuite({ fails, maxRuns: 20 })
  t.deepEqual([findings.length, isIncomplete, runs], [1, true, 20])
  t.false(passed.has('order listUsers 200'))
})

for (const [flaky, least, count] of [
  [0.05, 0.9, often(50, 500)],
  // Of 1,000 suites, one has a false finding: three failures by chance cannot be told from a cause.
  [0.2, 0.9, 50],
] as const)
  test(`of suites that fail by chance in ${flaky * 100} % of runs, ${least * 100} % of the findings are found, and no other`, async (t) => {
    const planted = units.filter((unit) => !unit.startsWith('slow'))
    let found = 0
    for (let seed = 1; seed <= count; seed++) {
      const unit = planted[seed % planted.length] ?? ''
      const result = await searchSuite({ fails: (has) => has(unit), flaky, seed })
      const others = foundIn(result).filter((each) => each !== unit)
      t.deepEqual(others, [], `seed ${seed}`)
      if (result.findings.length > 0) found++
      t.deepEqual(foundIn(await searchSuite({ fails: () => false, flaky, seed })), [], `seed ${seed}`)
    }
    t.true(found >= least * count, `${found} of ${count}`)
  })
