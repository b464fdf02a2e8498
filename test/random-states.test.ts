import fc from 'fast-check'
import type { FixtureRecord } from 'insights-double'

import { testOnDouble } from './helpers/double.js'
import { often } from './helpers/repetitions.js'

const characters = (set: string, most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...set.split('')), minLength: 1, maxLength: most })
const word = 'abcXYZ019._~-'
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\u0000', '\u2028', '__proto__', '\u{1F331}'))
const time = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const insight = (names: readonly string[]): fc.Arbitrary<FixtureRecord> =>
  fc.record(
    {
      id: fc.oneof(characters(word, 20), fc.constantFrom('constructor', '__proto__', 'toString', 'insight-2')),
      content: text,
      tag: text,
      title: text,
      source: text,
      createdAt: time,
      $access: fc.subarray([...names]),
    },
    { requiredKeys: ['content'] },
  )

/** Any valid fixture. Its ids and tokens are unique. */
const caller = fc.tuple(characters(word, 12), characters(`${word}+/`, 20))
const few = { minLength: 1, maxLength: 4, selector: ([name]: readonly string[]) => name }
const document = fc.uniqueArray(caller, few).chain((callers) => {
  const named = Object.fromEntries(callers.map(([name, token], index) => [name, { token: `${token}${index}` }]))
  const insights = fc.array(insight(Object.keys(named)), { maxLength: 8 }).map((all) => unique(all))
  const parts = { $description: text, $callers: fc.constant(named), insights }
  return fc.record(parts, { requiredKeys: ['$callers', 'insights'] })
})

/** Removes records that have the id of an earlier record. An omitted id comes from the position. */
function unique(insights: readonly FixtureRecord[]): readonly FixtureRecord[] {
  const kept: FixtureRecord[] = []
  for (const each of insights) {
    const id = each['id'] ?? `insight-${kept.length + 1}`
    if (!kept.some((other, index) => (other['id'] ?? `insight-${index + 1}`) === id)) kept.push(each)
  }
  return kept
}

interface Document {
  readonly $callers?: unknown
  readonly $description?: unknown
  readonly insights?: readonly FixtureRecord[]
}

/** Adds everything that a document may omit. */
const canonical = ({ $callers, $description, insights = [] }: Document): unknown => ({
  $description,
  $callers,
  insights: insights.map((each, index) => ({ $access: undefined, ...each, id: each['id'] ?? `insight-${index + 1}` })),
})

testOnDouble('GET /state returns the state of the last PUT, for any fixture', async (t, double) => {
  await fc.assert(
    fc.asyncProperty(document, async (given) => {
      await double.setState(given)
      const got = await double.state()
      t.deepEqual(canonical(got), canonical(given))
      await double.setState(got)
      t.deepEqual(canonical(await double.state()), canonical(got))
    }),
    { numRuns: often(40, 150), seed: 1 },
  )
})
