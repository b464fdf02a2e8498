import { fileURLToPath } from 'node:url'

import test from 'ava'
import fc from 'fast-check'
import type { FixtureRecord } from 'insights-double'

import { readDocument } from '#src/resources/document/read.js'
import { toDocument, toText } from '#src/resources/document/write.js'
import { loadService } from '#src/resources/load-service.js'
import type { State } from '#src/resources/records/state.js'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { as, del, get, json } from './helpers/http.js'
import { often } from './helpers/repetitions.js'
import { writeTemporary } from './helpers/temporary-files.js'

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
const document = fc
  .uniqueArray(fc.tuple(characters(word, 12), characters(`${word}+/`, 20)), {
    minLength: 1,
    maxLength: 4,
    selector: ([name]) => name,
  })
  .chain((callers) => {
    const named = Object.fromEntries(callers.map(([name, token], index) => [name, { token: `${token}${index}` }]))
    return fc.record(
      {
        $description: text,
        $callers: fc.constant(named),
        insights: fc.array(insight(Object.keys(named)), { maxLength: 8 }).map((insights) => unique(insights)),
      },
      { requiredKeys: ['$callers', 'insights'] },
    )
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
  insights: insights.map(({ $access, id, ...fields }, index) => ({
    id: id ?? `insight-${index + 1}`,
    ...fields,
    $access,
  })),
})

test('GET /state returns the state of the last PUT, for any fixture', async (t) => {
  const double = await serve(t)
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

test('a state survives any number of conversions to a document and to text', async (t) => {
  const { resources } = await loadService(fileURLToPath(new URL('../../spec/insights.yaml', import.meta.url)))
  const toState = (value: unknown): State => {
    const read = readDocument(value, resources)
    if ('state' in read) return read.state
    throw new TypeError(JSON.stringify(read.problems))
  }
  fc.assert(
    fc.property(document, (given) => {
      const state = toState(structuredClone(given))
      const written = toDocument(state) as Document
      t.deepEqual(canonical(written), canonical(given))
      t.deepEqual(toDocument(toState(written)), written)
      t.deepEqual(JSON.parse(toText(state)), JSON.parse(JSON.stringify(written)))
    }),
    { numRuns: often(150, 500), seed: 2 },
  )
})

const callers = ['ada', 'grace'] as const
type Caller = (typeof callers)[number]
interface Record_ {
  readonly id: string
  readonly content: string
  readonly $access?: readonly Caller[]
}
const records: readonly Record_[] = [
  { id: 'both', content: 'both' },
  { id: 'adas', content: 'ada', $access: ['ada'] },
  { id: 'graces', content: 'grace', $access: ['grace'] },
  { id: 'nobodys', content: 'nobody', $access: [] },
  { id: 'shared', content: 'shared', $access: ['grace', 'ada'] },
]

/** A model of the service in ten lines. */
class Model {
  left = records
  seenBy = (caller: Caller): readonly Record_[] => this.left.filter(({ $access }) => $access?.includes(caller) ?? true)
  delete(caller: Caller, id: string): number {
    if (!this.seenBy(caller).some((record) => record.id === id)) return 404
    this.left = this.left.filter((record) => record.id !== id)
    return 204
  }
}

const command = fc.oneof(
  fc.record({
    kind: fc.constant('list' as const),
    caller: fc.constantFrom(...callers),
    limit: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({ kind: fc.constant('list' as const), caller: fc.constantFrom(...callers), limit: fc.constant(undefined) }),
  fc.record({
    kind: fc.constant('delete' as const),
    caller: fc.constantFrom(...callers),
    id: fc.constantFrom(...records.map(({ id }) => id), 'never', '__proto__'),
  }),
  fc.record({ kind: fc.constant('reset' as const) }),
)

const fixture = JSON.stringify({
  $callers: Object.fromEntries(callers.map((caller) => [caller, { token: `${caller}-token` }])),
  insights: records,
})

test('a double responds like the model to any sequence of lists, deletes and resets', async (t) => {
  const double = await serve(t, { fixture: await writeTemporary(t, 'model.json', fixture) })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      let model = new Model()
      await double.reset()
      for (const each of commands) {
        if (each.kind === 'reset') {
          await double.reset()
          model = new Model()
        } else if (each.kind === 'delete') {
          const reply = await del(double, `/insights/${each.id}`, as(each.caller))
          t.is(reply.status, model.delete(each.caller, each.id))
        } else {
          const query = each.limit === undefined ? '' : `?limit=${each.limit}`
          const listed = asList(json(await get(double, `/insights${query}`, as(each.caller))))
          const expected = model.seenBy(each.caller).slice(0, each.limit)
          t.deepEqual(
            listed.map((insight_) => asObject(insight_)),
            expected.map(({ content, id }) => ({ id, content })),
          )
        }
      }
    }),
    { numRuns: often(20, 60), seed: 3 },
  )
})
