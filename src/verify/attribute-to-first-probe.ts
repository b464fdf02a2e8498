/** Attributes a difference that several probes show to the place of the probe that is about it. */
import type { FoundDifference, ProbeResult } from './evaluate.js'
import type { SpecPath } from './spec-places.js'

/**
 * Gives equal differences of an operation the place of the first of them. Probes of what an operation does come first, so a wrong cap that also
 * shows in a request with an undocumented parameter is not a difference about undocumented parameters.
 */
export function attributeToFirstProbe(results: readonly ProbeResult[]): readonly ProbeResult[] {
  const causes = new Map<string, SpecPath>()
  return results.map((result) => {
    const { baseline, operation } = result.probe
    const base = results.find(({ probe }) => baseline !== undefined && probe.name === baseline)
    const differences = result.differences.map((difference): FoundDifference => {
      const { part, place, what } = difference
      const found = base?.differences.find((each) => each.part === part && each.what === what)
      if (found) return { ...difference, place: found.place }
      // Statuses are about the request, which is another one in each probe.
      if (part === 'status') return difference
      const key = JSON.stringify([operation, part, what])
      const cause = causes.get(key) ?? place
      causes.set(key, cause)
      return { ...difference, place: cause }
    })
    return { ...result, differences }
  })
}
