/** A contract of one collection, as an object that a test may change. */

export type Json = Record<string, unknown>

const json = (schema: Json): Json => ({ 'application/json': { schema } })
/** Creates the body of a request or response with a schema. */
export const body = (schema: Json): Json => ({ description: 'ok', content: json(schema) })
const plant = { $ref: '#/components/schemas/Plant' }

/** The operations of a flat collection of plants, by role. */
export const operations = {
  list: { operationId: 'listPlants', responses: { 200: body({ type: 'array', items: plant }) } },
  create: {
    operationId: 'createPlant',
    requestBody: { required: true, content: json(plant) },
    responses: { 201: { ...body(plant), headers: { Location: { schema: { type: 'string' } } } } },
  },
  read: { operationId: 'readPlant', responses: { 200: body(plant) } },
  replace: {
    operationId: 'replacePlant',
    requestBody: { required: true, content: json(plant) },
    responses: { 200: body(plant) },
  },
  update: {
    operationId: 'updatePlant',
    requestBody: {
      required: true,
      content: json({
        type: 'object',
        properties: { name: { type: 'string' }, tag: { type: ['string', 'null'] }, pot: { type: 'object' } },
      }),
    },
    responses: { 200: body(plant) },
  },
  remove: { operationId: 'removePlant', responses: { 204: { description: 'gone' } } },
} satisfies Json

export const plantSchema: Json = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9-]{1,40}$', readOnly: true },
    name: { type: 'string' },
    tag: { type: ['string', 'null'] },
    height: { type: 'integer' },
    pot: { type: 'object', properties: { colour: { type: 'string' }, size: { type: 'integer' } } },
    secret: { type: 'string', writeOnly: true },
    createdAt: { type: 'string', format: 'date-time', readOnly: true },
  },
}

/** Adds properties to the schema of a plant, or replaces them. @param required - The names of the required properties. */
export const plantWith = (properties: object, required: readonly string[] = ['id', 'name']): Json => ({
  ...plantSchema,
  required,
  properties: { ...(plantSchema['properties'] as object), ...properties },
})

/** The parts of the contract that a test may change. */
export interface Changes {
  readonly schema?: Json
  readonly onCollection?: Json
  readonly onItem?: Json
  readonly query?: readonly Json[]
  readonly paths?: Json
  readonly schemas?: Json
  readonly security?: boolean
  readonly idSchema?: Json
}

export function plants(changes: Changes = {}): Json {
  const { get, post } = { get: operations.list, post: operations.create }
  return {
    openapi: '3.1.0',
    info: { title: 'Plants', version: '1.0.0' },
    ...(changes.security === false ? {} : { security: [{ bearer: [] }] }),
    paths: {
      '/plants': { ...(changes.onCollection ?? { get: { ...get, parameters: changes.query ?? [] }, post }) },
      '/plants/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: changes.idSchema ?? { type: 'string' } }],
        ...(changes.onItem ?? {
          get: operations.read,
          put: operations.replace,
          patch: operations.update,
          delete: operations.remove,
        }),
      },
      ...changes.paths,
    },
    components: {
      schemas: { Plant: changes.schema ?? plantSchema, ...changes.schemas },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}
