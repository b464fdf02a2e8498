/** Fixtures that are generated from a contract. */
import type { GeneratedRecords } from '../resources/generated/generated-records.js'
import { withOrigin } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { type Fixture, hashOf, readInlineFixture } from './fixtures.js'

/** The time before which generated times lie, if the clock of the double runs: the same start gives the same records on every day. */
const fixedNow = Date.UTC(2026, 0, 1)

/** The last fixtures of each contract, so that sandboxes share their records. */
const made = new WeakMap<Resources, Map<string, Promise<Fixture>>>()
const maxKept = 4

/**
 * Generates the fixture of a contract. Loads the generator on the first call.
 *
 * @param now - The fixed time of the double, RFC 3339. Undefined: its clock runs.
 */
export function generateFixture(
  resources: Resources,
  wanted: GeneratedRecords,
  now: string | undefined,
): Promise<Fixture> {
  const { records, seed } = wanted
  const before = now === undefined ? fixedNow : Date.parse(now)
  const key = [records, seed, before].join(' ')
  const kept = made.get(resources) ?? new Map<string, Promise<Fixture>>()
  made.set(resources, kept)
  const known = kept.get(key)
  if (known) return known
  const fixture = import('../resources/generated/generate-document.js').then(({ generateDocument }) => {
    const { document, filled } = generateDocument(resources, { records, seed }, before)
    const { name, state } = readInlineFixture(document, resources)
    const origin = { records, seed, sha256: hashOf(document) }
    return { name, state: withOrigin(state, origin), generated: { records, seed, filled } }
  })
  kept.set(key, fixture)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return fixture
}
