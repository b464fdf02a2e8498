/** Random valid fixtures of a contract, and sequences of requests and resets in two sandboxes. */
import fc from 'fast-check'

import { type Facts, type Json, listParameters, type Property } from './contracts.js'
import type { ModelRequest } from './model.js'

const callers = ['ada', 'grace'] as const

const values = (type: Property['type']): fc.Arbitrary<unknown> =>
  ({
    string: fc.constantFrom('', 'a', 'b', 'sample', '__proto__'),
    integer: fc.integer({ min: 0, max: 3 }),
    boolean: fc.boolean(),
    object: fc.record({ a: fc.constantFrom('x', 'y'), b: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
    'date-time': fc.constantFrom('2020-02-02T02:02:02Z', '2021-01-01T00:00:00+01:00'),
  })[type]

const valueOf = (property: Property, anyNull = false): fc.Arbitrary<unknown> =>
  property.nullable || anyNull ? fc.oneof(values(property.type), fc.constant(null)) : values(property.type)

const idOf = ({ idType }: Facts): fc.Arbitrary<string | number> =>
  idType === 'integer'
    ? fc.integer({ min: 1, max: 7 })
    : fc.oneof(
        fc.integer({ min: 1, max: 6 }).map((number) => `thing-${number}`),
        fc.constantFrom('a', 'constructor', '__proto__', 'thing-07', 'a b/c'),
      )

/** Properties that may be in a body. */
function body(
  facts: Facts,
  required: (property: Property) => boolean,
  anyNull: boolean,
  id: 'never' | 'maybe' | 'always',
): fc.Arbitrary<Json> {
  const { open, properties, separate } = facts
  const sendable = properties.filter(({ owner }) => !(separate && owner === 'server'))
  const known = fc.record(Object.fromEntries(sendable.map((each) => [each.name, valueOf(each, anyNull)])), {
    requiredKeys: sendable.filter(required).map(({ name }) => name),
  })
  const further = open
    ? fc.option(fc.constantFrom<Json>({ further: 1 }, { further: null }), { nil: {} })
    : fc.constant<Json>({})
  const ids: fc.Arbitrary<Json> = idOf(facts).map((value) => ({ id: value }))
  const chosen = id === 'always' ? ids : id === 'maybe' ? fc.option(ids, { nil: {} }) : fc.constant<Json>({})
  return fc.tuple(chosen, known, further).map((parts) => plain(Object.assign({}, ...parts) as Json))
}

/** Copies a value as JSON, because fast-check creates objects without a prototype. */
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json

const isMust = ({ owner, required }: Property): boolean => required && owner !== 'server'

/** Random requests, each allowed by the contract. */
function requests(facts: Facts, most: number): fc.Arbitrary<readonly ModelRequest[]> {
  const { idOwner, separate, wholePut } = facts
  const isIdKnown = !(separate && idOwner === 'server')
  const request = fc.constantFrom(...facts.operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      caller: fc.constantFrom(...callers),
      id: idOf(facts),
      query: operation === 'list' ? query(facts) : fc.constant({}),
      body:
        operation === 'create'
          ? body(facts, isMust, false, idOwner === 'client' ? 'always' : isIdKnown ? 'maybe' : 'never')
          : operation === 'put'
            ? body(facts, (each) => wholePut && isMust(each), false, 'never')
            : body(facts, () => false, true, 'never'),
      namesId: fc.constantFrom('no', 'no', 'same', 'other'),
    }),
  )
  const named = request.map(({ namesId, ...rest }): ModelRequest => {
    const isPut = rest.operation === 'put' || rest.operation === 'patch'
    if (!isPut || !isIdKnown || namesId === 'no') return rest
    const other = facts.idType === 'integer' ? 99 : 'another'
    return { ...rest, body: { ...rest.body, id: namesId === 'same' ? rest.id : other } }
  })
  return fc.array(named, { minLength: 1, maxLength: most, size: 'max' })
}

const query = (facts: Facts): fc.Arbitrary<ModelRequest['query']> => {
  const entries = listParameters(facts).map(([name, schema]) => {
    const property = facts.properties.find((each) => each.name === name)
    if (Array.isArray(schema['enum'])) return [name, fc.constantFrom(...(schema['enum'] as string[]))] as const
    if (name === 'starting_after') return [name, idOf(facts).map(String)] as const
    const least = typeof schema['minimum'] === 'number' ? schema['minimum'] : 0
    const value = schema['type'] === 'integer' ? fc.integer({ min: least, max: 4 }) : values(property?.type ?? 'string')
    return [name, value] as const
  })
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] }).map((given) => given as ModelRequest['query'])
}

/** Random records of a fixture. All have ids, or none if ids are integers. */
function fixtures(facts: Facts): fc.Arbitrary<readonly Json[]> {
  const record = fc
    .tuple(
      fc.record(Object.fromEntries(facts.properties.map((each) => [each.name, valueOf(each)])), {
        requiredKeys: facts.properties.filter(({ required }) => required).map(({ name }) => name),
      }),
      fc.option(fc.subarray([...callers]), { nil: undefined }),
      idOf(facts),
    )
    .map(([properties, access, id]) => ({ properties, id, access: access === undefined ? {} : { $access: access } }))
  return fc
    .tuple(fc.uniqueArray(record, { maxLength: 5, selector: ({ id }) => id }), fc.boolean())
    .map(([list, hasIds]) =>
      list.map(({ access, id, properties }) => plain({ ...(hasIds ? { id } : {}), ...properties, ...access })),
    )
}

/** A step in one of the two sandboxes. */
interface Step {
  readonly sandbox: 0 | 1
  readonly send: ModelRequest
  /** False: the request has the credential of no caller. */
  readonly isKnown: boolean
  /** A reset before the request. `same`: to the fixture of the last reset. A number: to a fixture file. A list: to an inline fixture. */
  readonly reset: 'same' | 0 | 1 | readonly Json[] | undefined
}

/** A sequence of steps. Each sandbox starts with the fixture of a file. */
export interface Sequence {
  readonly files: readonly [readonly Json[], readonly Json[]]
  readonly steps: readonly Step[]
}

/** Creates random sequences. @param most - The maximum number of steps. */
export function sequences(facts: Facts, most: number): fc.Arbitrary<Sequence> {
  const reset = fc.oneof(fc.constantFrom<'same' | 0 | 1>('same', 0, 1), fixtures(facts))
  const frame = fc.record({
    sandbox: fc.constantFrom<0 | 1>(0, 1),
    isKnown: fc.integer({ min: 0, max: 19 }).map((chance) => chance > 0),
    reset: fc.option(reset, { nil: undefined, freq: 19 }).map((each) => each),
  })
  return fc
    .record({
      files: fc.tuple(fixtures(facts), fixtures(facts)),
      sent: requests(facts, most),
      frames: fc.array(frame, { minLength: most, maxLength: most }),
    })
    .map(({ files, frames, sent }) => ({
      files,
      steps: sent.flatMap((send, index): Step[] => {
        const frameOf = frames[index]
        return frameOf ? [{ send, ...frameOf }] : []
      }),
    }))
}
