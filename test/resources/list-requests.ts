/** The ids that a listing of plants has, and parameters with a description. */
import type { Json } from '#src/contract/contract.js'
import { explainResources } from '#src/resources/explain.js'

import {
  type Json as Schema,
  body,
  listOf,
  object,
  parameter,
  plant,
  plants,
  plantSchema,
  text,
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
  const { operations } = explainResources(await serviceOf(plants({ query, schema })))
  const list = operations.find(({ operation }) => operation === 'listPlants')
  return Object.fromEntries((list?.parameters ?? []).map(({ acts, name }) => [name, acts]))
}
