/** The features of OpenAPI as one spec for each version, and requests to them. */
import type { JsonObject } from '../as-object-or-list.js'
import { asObject } from '../as-object-or-list.js'
import { wire } from '../http.js'
import { readSpec } from '../read-repository-file.js'
import { bodyFeatures } from './bodies.js'
import type { Attempt, Feature } from './feature.js'
import { formFeatures } from './forms.js'
import { fieldFeatures, pathFeatures } from './path-header-cookie.js'
import { queryFeatures } from './query.js'
import { schemaFeatures } from './schemas.js'

/** All features. */
export const features: readonly Feature[] = [
  ...queryFeatures,
  ...pathFeatures,
  ...fieldFeatures,
  ...bodyFeatures,
  ...formFeatures,
  ...schemaFeatures,
]

/** Returns the version of OpenAPI that a feature is tested with. */
export const versionOf = ({ clause }: Feature): string => (clause.startsWith('3.0.4') ? '3.0.4' : '3.1.1')

/** Tells whether a feature is about request bodies. */
export const hasBody = ({ operation }: Feature): boolean => operation['requestBody'] !== undefined

const hasPath = ({ legal }: Feature): boolean => legal.some(({ path }) => path !== undefined)

const pathOf = (feature: Feature): string => `/features/${features.indexOf(feature)}`

const methodOf = (feature: Feature): string => (hasBody(feature) ? 'POST' : 'GET')

/** Creates the package's spec with an operation for each feature of a version. Its example is the response to each legal request. */
export async function featureSpec(version: string): Promise<JsonObject> {
  const spec = await readSpec()
  const error = { $ref: '#/components/schemas/Error' }
  const responses = {
    '200': { description: 'Legal.', content: { 'application/json': { schema: {}, example: 'legal' } } },
    default: { description: 'Illegal.', content: { 'application/json': { schema: error } } },
  }
  const paths = features
    .filter((feature) => versionOf(feature) === version)
    .map((feature) => {
      const operationId = `feature${features.indexOf(feature)}`
      const operation = { operationId, security: [], responses, ...feature.operation }
      return [pathOf(feature) + (hasPath(feature) ? '/{p}' : ''), { [methodOf(feature).toLowerCase()]: operation }]
    })
  return { ...spec, openapi: version, paths: { ...asObject(spec['paths']), ...asObject(Object.fromEntries(paths)) } }
}

/** A request. */
export interface FeatureRequest {
  readonly method: string
  readonly target: string
  readonly bytes: Buffer
}

/** Creates the request of an attempt. @param further - Further header fields. */
export function featureRequest(
  feature: Feature,
  { body, headers = [], path, query }: Attempt,
  further: readonly string[] = [],
): FeatureRequest {
  const method = methodOf(feature)
  const target = `${pathOf(feature)}${hasPath(feature) ? `/${path ?? ''}` : ''}${query === undefined ? '' : `?${query}`}`
  const sent = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.of())
  const length = body === undefined ? [] : [`Content-Length: ${sent.length}`]
  const head = wire(`${method} ${target}`, [...headers, ...length, ...further])
  return { method, target, bytes: Buffer.concat([Buffer.from(head), sent]) }
}
