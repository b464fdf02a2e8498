/** Attributes a difference that several probes show to the first of them. */
import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import type { SpecPath } from './spec-places.js'

/**
 * Gives equal differences of an operation the place of the first of them. Probes of the effect of an operation come first. So a wrong cap is not
 * a difference about undocumented parameters, although a request with an undocumented parameter shows it too.
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
      // A status depends on the request, which differs in each probe.
      if (part === 'status') return difference
      const key = JSON.stringify([operation, part, what])
      const cause = causes.get(key) ?? place
      causes.set(key, cause)
      return { ...difference, place: cause }
    })
    return { ...result, differences }
  })
}
