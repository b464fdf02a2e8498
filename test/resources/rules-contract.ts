/** Contracts of a few operations, each in one line, for the rules of collections. */
import { body, integer, listOf, object, pathParameters, ref, text } from './plants-contract.js'

export type Schema = Readonly<Record<string, unknown>>

/** A request in one line, such as `POST /pets Pet > 201 Pet`: the schema of the request body, the status and the schema of the response. */
export interface Line {
  readonly request?: Schema
  readonly response?: Schema
  readonly status?: number
  readonly with?: Schema
}

export const done = { status: 204 }

/** Creates a contract of operations by method and path. The path is that of the spec. */
export function contract(
  operations: Readonly<Record<string, Line>>,
  schemas: Readonly<Record<string, Schema>>,
): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [key, { request, response, status = 200, with: others = {} }] of Object.entries(operations)) {
    const [method = '', path = ''] = key.split(' ')
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: key,
        parameters: pathParameters(path),
        ...(request && { requestBody: { ...body(request), required: true } }),
        responses: { [status]: { ...(response && body(response)), description: 'ok' }, 404: { description: 'none' } },
        ...others,
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Rules', version: '1' },
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

const properties = { id: { ...text, readOnly: true }, name: text, owner_id: text, archived: { type: 'boolean' } }
export const Pet = object(properties, 'id', 'name')
export const [pet, pets, petBody] = [ref('Pet'), listOf(ref('Pet')), object({ name: text })]
/** The operations of a collection. @param id - The parameter of the path of a record. @param request - The body of a create and of an update. */
export const crud = (
  path: string,
  { id = 'id', response = pet, request = petBody }: Pick<Line, 'request' | 'response'> & { readonly id?: string } = {},
): Readonly<Record<string, Line>> => ({
  [`GET ${path}`]: { response: listOf(response) },
  [`POST ${path}`]: { request, response, status: 201 },
  [`GET ${path}/{${id}}`]: { response },
  [`PATCH ${path}/{${id}}`]: { request, response },
  [`DELETE ${path}/{${id}}`]: done,
})

export const Settings = object({ theme: text, size: integer })
