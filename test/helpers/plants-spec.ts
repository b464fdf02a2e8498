/** An OpenAPI document of one collection with all six roles, which tests change and serve. */
import type { ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions, FixtureRecord } from 'insights-double'

import { body, type Changes, errorSchema, plants } from '../resources/plants-contract.js'
import { asObject } from './as-object-or-list.js'
import { serve } from './double.js'
import { writeTemporary } from './files.js'

type Json = Record<string, unknown>

export const plantCallers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }

/** Creates the document. Every operation documents its errors by `default`. */
export function plantsSpec(changes: Changes = {}): Json {
  const { paths, ...others } = plants(changes) as { readonly paths: Json }
  const withErrors = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'responses' in value
      ? { ...value, responses: { ...(value.responses as Json), default: body(errorSchema) } }
      : value
  const text = JSON.stringify({ info: { title: 'Plants', version: '1.0.0' }, ...others, paths }, withErrors)
  return JSON.parse(text) as Json
}

export const writePlantsSpec = (t: ExecutionContext, changes: Changes = {}): Promise<string> =>
  writeTemporary(t, 'plants.json', JSON.stringify(plantsSpec(changes), undefined, 2))

/** Writes the document with security schemes. @param security - Default: each of them alone. @returns The path of the file. */
export function writeSecuredPlants(
  t: ExecutionContext,
  securitySchemes: Readonly<Record<string, object>>,
  security: readonly object[] = Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
): Promise<string> {
  const { components, ...others } = plantsSpec()
  return writeTemporary(t, 'plants.json', {
    ...others,
    security,
    components: { ...asObject(components), securitySchemes },
  })
}

const info = { title: 'Test', version: '1' }

/** Writes a contract of these paths. @param more - Further fields of the document, or others. @returns The path of the file. */
export const writeContract = (t: ExecutionContext, paths: object, more: Json = {}): Promise<string> =>
  writeTemporary(t, 'spec.json', { openapi: '3.1.0', info, paths, ...more })

/** Serves a document without a stateful collection. */
export const serveSpec = async (t: ExecutionContext, changes: Changes): Promise<DoubleHandle> =>
  serve(t, { spec: await writePlantsSpec(t, changes), fixture: { $callers: plantCallers } })

/** Serves the document. @param records - The plants. */
export async function servePlants(
  t: ExecutionContext,
  records: readonly FixtureRecord[],
  changes: Changes = {},
  options: DoubleOptions = {},
): Promise<DoubleHandle> {
  const fixture = { $callers: plantCallers, plants: records }
  return serve(t, { spec: await writePlantsSpec(t, changes), fixture, ...options })
}
