/** What the tests of listings share: contracts of plants, their records, and the ids that a listing has. */
import type { Json } from '#src/contract/contract.js'

import {
  type Json as Schema,
  body,
  integer,
  listOf,
  object,
  parameter,
  plant,
  plants,
  plantSchema,
  plantWith,
  text,
  time,
} from './plants-contract.js'
import { serviceOf, type TestService } from './service-of.js'

export const ids = (listed: unknown): readonly string[] => (listed as { id: string }[]).map(({ id }) => id)
export const idsIn = (service: TestService, query: Record<string, Json> = {}): readonly string[] =>
  ids(service.ok('listPlants', { query }).body)
/** Creates a function that returns the ids of a listing, with commas between them. */
export const lister =
  (service: TestService) =>
  (query?: Record<string, Json>): string =>
    idsIn(service, query).join()

export const described = (name: string, description: string, schema: object = text): Schema => ({
  ...parameter(name, schema),
  description,
})

export const cursored = (query: readonly Schema[], envelope: object): Schema =>
  plants({ operations: { list: { responses: { 200: body(object({ data: listOf(plant), ...envelope })) } } }, query })

export const fixture = {
  plants: Array.from({ length: 25 }, (_, at) => ({
    id: `p-${at}`,
    name: `n${at % 3}`,
    tag: at % 4 === 0 ? null : `t${at % 2}`,
    height: at % 5,
  })),
}

/** Returns the effect of each parameter of the listing. */
export async function actsOf(query: readonly Schema[], schema = plantSchema): Promise<Schema> {
  const { parameters } = (await serviceOf(plants({ query, schema }))).explain('listPlants')
  return Object.fromEntries(parameters.map(({ acts, name }) => [name, acts]))
}

/** Plants with properties of many kinds. */
export const rich = plantWith({
  name: text,
  tags: listOf(text),
  room: object({ gid: text, floor: integer }),
  ownerId: text,
  planted_at: time,
  watered_at: time,
  price: { type: 'number' },
})

/** Some of them. */
export const listed = {
  plants: [
    { name: 'Fern', tags: ['a', 'b'], room: { gid: 'r1', floor: 1 }, planted_at: '2026-01-01T00:00:00Z', price: 3 },
    { name: 'aloe', tags: ['b'], room: { gid: 'r2' }, ownerId: 'ada', planted_at: '2026-02-01T01:00:00+02:00' },
    { name: 'Basil', ownerId: 'ada', planted_at: '2026-01-31T23:30:00Z', price: 1.5 },
  ].map((each, at) => ({ id: `p-${at}`, ...each })),
}
