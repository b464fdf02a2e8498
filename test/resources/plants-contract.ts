/** A contract of one collection, as an object that a test may change. */

export type Json = Record<string, unknown>

export const text = { type: 'string' }
export const integer = { type: 'integer' }
export const time = { type: 'string', format: 'date-time' }
export const object = (properties: object, ...required: string[]): Json => ({ type: 'object', required, properties })
export const listOf = (items: object): Json => ({ type: 'array', items })
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
/** Creates a parameter of the query. */
export const parameter = (name: string, schema: object, required = false): Json => ({
  name,
  in: 'query',
  required,
  schema,
})

/** Creates a parameter of a path. */
export const inPath = (name: string, schema: object = text, description?: string): Json => ({
  ...parameter(name, schema, true),
  in: 'path',
  description,
})

/** Creates the parameters of a path. */
export const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{([^{}]+)\}/gu)].map(([, name = '']) => inPath(name))

const json = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})
/** Creates the body of a request or response with a schema. */
export const body = (schema: Json, example?: unknown): Json => ({ description: 'ok', content: json(schema, example) })
export const errorSchema = object({ error: integer, message: text }, 'error', 'message')
export const plant = ref('Plant')

/** The operations of a flat collection of plants, by role. */
export const operations = {
  list: { operationId: 'listPlants', responses: { 200: body(listOf(plant)) } },
  create: {
    operationId: 'createPlant',
    requestBody: { required: true, content: json(plant) },
    responses: { 201: { ...body(plant), headers: { Location: { schema: text } } } },
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
      content: json(object({ name: text, tag: { type: ['string', 'null'] }, pot: { type: 'object' } })),
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
    name: text,
    tag: { type: ['string', 'null'] },
    height: integer,
    pot: { type: 'object', properties: { colour: text, size: integer } },
    secret: { ...text, writeOnly: true },
    createdAt: { ...time, readOnly: true },
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
  /** Fields of operations, by role, in place of their own. */
  readonly operations?: Partial<Readonly<Record<keyof typeof operations, object>>>
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
  const own = (role: keyof typeof operations): Json => ({ ...operations[role], ...changes.operations?.[role] })
  const { query = [] } = changes
  return {
    openapi: '3.1.0',
    info: { title: 'Plants', version: '1.0.0' },
    ...(changes.security === false ? {} : { security: [{ bearer: [] }] }),
    paths: {
      '/plants': changes.onCollection ?? { get: { parameters: query, ...own('list') }, post: own('create') },
      '/plants/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: changes.idSchema ?? text }],
        ...(changes.onItem ?? { get: own('read'), put: own('replace'), patch: own('update'), delete: own('remove') }),
      },
      ...changes.paths,
    },
    components: {
      schemas: { Plant: changes.schema ?? plantSchema, ...changes.schemas },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}
