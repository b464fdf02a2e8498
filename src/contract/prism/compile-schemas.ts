/** Corrects how Prism compiles schemas: each once, only if it compiles, with exact numbers, and large bodies up to the first error. */
import { hash } from 'node:crypto'

import { Ajv, type FuncKeywordDefinition } from 'ajv'

import type { JsonObject } from '../../documents/object.js'
import { once, onceForObject } from '../../once.js'
import { dialect2020, needs2020 } from '../schemas/keywords.js'
import { type MessageKind, notValidated, type SchemaError, unescapeSegment } from './schema-errors.js'

/** By the hash of their JSON text. Prism caches schemas by identity for ever: each reload would fill its cache. */
const internedValues = new Map<string, unknown>()

/** Leaves out Prism's identifiers, which differ in equal schemas. */
const textOf = (value: object): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'x-stoplight' ? undefined : inner))

/** Returns the first value of this process that has the same text. @param text - Default: its JSON text. */
export function intern<T extends object>(value: T, text = textOf(value)): T {
  const key = hash('sha256', text)
  if (!internedValues.has(key)) internedValues.set(key, value)
  // Values with the same text have the same type.
  return internedValues.get(key) as T
}

/** Returns the first schema of this process that has the same JSON text. @param isMarked - True: it is JSON Schema 2020-12 even if it does not need that. */
export function internSchema(schema: JsonObject, isMarked: boolean): JsonObject {
  const text = textOf(schema)
  if (!isMarked && !needs2020(text)) return intern(schema, text)
  return intern({ ...schema, $schema: dialect2020 }, `${dialect2020} ${text}`)
}

/** Tells whether definitions use keywords of JSON Schema 2020-12. */
export const haveNewKeywords = (definitions: JsonObject): boolean => needs2020(textOf(definitions))

/** A value that no schema of `withMarkerRefused` allows. */
export const markerValue = '\0'

/** Returns a schema that does not allow the refused value. The same schema gives the same result. */
export const withMarkerRefused = onceForObject((schema: JsonObject): JsonObject => {
  const refused = { const: markerValue }
  return { ...schema, not: Object.hasOwn(schema, 'not') ? { anyOf: [schema['not'], refused] } : refused }
})

/** Tells whether a schema of `withMarkerRefused` is compiled: whether it refuses the value. */
export const refusesMarker = (validate: (value: unknown) => readonly SchemaError[]): boolean =>
  validate(markerValue).some(({ path }) => path[0] === 'body')

export const uncompiled = (side: MessageKind): SchemaError =>
  notValidated(['body'], 'uncompiled', `The ${side} cannot be checked, because its schema does not compile`)

const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: isMultiple,
  error: { message: ({ schema }) => `must be multiple of ${String(schema)}` },
}

/** Tells whether a number is a multiple of a step, except for the rounding of both and of their quotient. */
function isMultiple(step: number, value: number): boolean {
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= 2 * Number.EPSILON * Math.abs(quotient)
}

/**
 * Corrects how Ajv validates numbers. For `multipleOf` it compares a quotient with an integer, and so refuses 0.07 as a multiple of 0.01.
 * Without `strictNumbers` it accepts Infinity and NaN, which JSON does not have. Every instance is corrected when it first compiles a schema:
 * Prism does not export its instances, and gives them no option for this.
 */
export function correctNumberValidation(): void {
  const core = Object.getPrototypeOf(Ajv.prototype) as Ajv
  const compile = core.compile
  let compiled = 0
  core.compile = function (this: Ajv, ...input: Parameters<typeof compile>) {
    this.opts.strictNumbers = true
    // The start has validated each keyword of the contract. To compile the schema of schemas takes a tenth of it.
    this.opts.validateSchema = false
    // To shorten the code of thousands of schemas takes a tenth of the start of a large contract.
    this.opts.code.optimize = ++compiled > 250 ? 0 : 1
    const known = this.getKeyword('multipleOf')
    const isCorrected = typeof known === 'object' && 'validate' in known && known.validate === isMultiple
    if (!isCorrected) this.removeKeyword('multipleOf').addKeyword(multipleOf)
    return compile.apply(this, input)
  } as typeof compile
}

/** The maximum number of values in a body whose errors are all listed. */
const maxListedValues = 10_000

export const isLarge = (body: unknown): boolean => countValues(body, maxListedValues) > maxListedValues

/** Counts the values in a value, at any depth. @param most - The count ends beyond it. Default: it does not. */
export function countValues(body: unknown, most = Infinity): number {
  let count = 0
  const pending: unknown[] = [body]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value) && value.length > most) return value.length
    for (const inner of Object.values(value)) {
      if (++count > most) return count
      pending.push(inner)
    }
  }
  return count
}

/** Creates a function that finds the first error of a body: the list of all errors of a million values would exceed the memory of the process. The schema, which must be valid, is compiled on the first call. */
export function createFindFirstError(schema: JsonObject): (body: unknown) => SchemaError | undefined {
  // Formats are omitted: Prism's formats are not available here.
  const options = { strict: false, logger: false, validateSchema: false, validateFormats: false } as const
  const compiled = once(() => new Ajv(options).compile(schema))
  return (body) => {
    const check = compiled()
    if (check(body)) return undefined
    const [error] = check.errors ?? []
    const path = (error?.instancePath ?? '').split('/').slice(1).map(unescapeSegment)
    const rule = error?.message ?? 'does not match its schema'
    return { path: ['body', ...path], severity: 'Error', code: error?.keyword ?? 'schema', rule }
  }
}
