/**
 * Validates responses without any code of the double: with Ajv, a separate date-time check, and the spec files. So it finds errors
 * that the validation of the double misses.
 */
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

export interface Exchange {
  readonly method: string
  /** The request target as sent, with the query and the prefix of a sandbox. */
  readonly target: string
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
  /** The x-error-code of the response. It is needed to recognize an unknown sandbox. */
  readonly errorCode?: string | undefined
  /** True if the body was generated (Prefer: dynamic): the contract allows further properties. Default false. */
  readonly isGenerated?: boolean
}

/** Returns the violations of a response. Empty: the response follows its contract. */
export type ResponseValidator = (reply: Exchange) => readonly string[]

type Node = Readonly<Record<string, unknown>>

/** Statuses of HTTP errors. Every operation can send them, and no contract documents them for each operation. */
const transport: ReadonlySet<number> = new Set([408, 417, 431])

const packageFile = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** The contract of the control plane. It is read on first use, and once for all validators. */
const control = once(() => readContract(packageFile('spec/control.yaml')))

/** Creates a validator of responses. @param spec - The spec of the service. Default: that of the package. */
export function createValidator(spec: string = packageFile('spec/insights.yaml')): ResponseValidator {
  const service = once(() => readContract(spec))
  return (reply) => {
    const path = pathOf(reply.target)
    const contract = /^\/__admin(?:\/|$)/u.test(path) ? control() : service()
    const isHead = reply.method === 'HEAD'
    const responses = contract.responsesOf(isHead ? 'get' : reply.method.toLowerCase(), path)
    if (reply.method === 'OPTIONS' && reply.status === 204) return bodiless(reply)
    // The console is at the path with a slash. The path without it redirects there. No contract documents that.
    if (path === '/__admin' && reply.status === 308) return bodiless(reply)
    if (!responses && isOutsideContract(reply)) return []
    if (isHead) return headed(reply, responses)
    const isTransport = transport.has(reply.status) || reply.errorCode === 'unknown_sandbox'
    if (!responses || isTransport) return anError(reply)
    const documented = responses[String(reply.status)] ?? responses[`${Math.floor(reply.status / 100)}XX`]
    const found = documented ?? responses['default']
    if (!found) return [`status ${reply.status} is not documented for ${reply.method} ${path}`]
    return [...(reply.status >= 400 ? anError(reply) : []), ...contract.validate(found, reply)]
  }
}

/** Tells whether a response is that of `/`, `/openapi.json`, `/openapi.yaml` or `/favicon.ico`. No contract has these paths; other tests check them. */
export function isOutsideContract({ method, status, target }: Pick<Exchange, 'method' | 'status' | 'target'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = pathOf(target)
  return (
    (status === 200 && ['/', '', '/openapi.json', '/openapi.yaml'].includes(path)) ||
    (status === 302 && ['/', '/favicon.ico'].includes(path))
  )
}

/** Returns the path of a request target, without the prefix of a sandbox. */
const pathOf = (target: string): string =>
  (target.split(/[?#]/u)[0] ?? '').replace(/^https?:\/\/[^/?]+/iu, '').replace(/^\/sandboxes\/[^/]*(?=\/)/u, '')

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function bodiless({ contentType, status, text }: Exchange): readonly string[] {
  if (text !== '') return [`a ${status} without a documented body has one: ${text.slice(0, 100)}`]
  return contentType === undefined ? [] : [`a ${status} without a body has Content-Type ${contentType}`]
}

function headed(reply: Exchange, responses: Node | undefined): readonly string[] {
  if (reply.text !== '') return ['a reply to HEAD has a body']
  if (reply.status >= 400) return reply.contentType === 'application/json' ? [] : ['a HEAD that fails is not JSON']
  return responses?.[String(reply.status)] ? [] : [`status ${reply.status} is not documented for HEAD ${reply.target}`]
}

/** Checks the rules of every error, from any source. */
function anError({ contentType, isGenerated = false, status, text }: Exchange): readonly string[] {
  if (status < 400) return [`status ${status} is for a success, and there is nothing that could succeed`]
  if (contentType !== 'application/json') return [`an Error is sent as ${contentType ?? 'nothing'}`]
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [`an Error is no object: ${text}`]
  const { error, message, ...others }: Node = { ...body }
  const wrong: string[] = []
  if (error !== status) wrong.push(`error is ${JSON.stringify(error)}, the status ${status}`)
  if (typeof message !== 'string' || message.trim() === '') wrong.push(`message is ${JSON.stringify(message)}`)
  if (!isGenerated && Object.keys(others).length > 0)
    wrong.push(`an Error has further keys: ${Object.keys(others).join(', ')}`)
  return wrong
}

interface ReadContract {
  responsesOf(method: string, path: string): Node | undefined
  validate(response: unknown, reply: Exchange): readonly string[]
}

function readContract(file: string): ReadContract {
  const document = parse(readFileSync(file, 'utf8')) as Node
  // Strict mode finds mistakes in the schemas. The meta-schema takes longer to compile than all schemas of a spec.
  const lenient = { allowUnionTypes: true, strictRequired: false, meta: false, validateSchema: false }
  const ajv = new Ajv2020({ allErrors: true, strict: true, ...lenient })
  for (const keyword of ['example', 'x-assumption', 'x-extensible-enum']) ajv.addKeyword(keyword)
  ajv.addFormat('date-time', isDateTime)
  for (const name of ['uri', 'url']) ajv.addFormat(name, (text) => URL.canParse(text))
  ajv.addFormat('date', (text) => /^\d{4}-\d\d-\d\d$/u.test(text))
  ajv.addFormat('int32', { type: 'number', validate: (value) => value === (value | 0) })
  const schemas = (document['components'] as Node | undefined)?.['schemas']
  ajv.addSchema({ $id: 'contract', $defs: withReferences(schemas ?? {}) })
  const checks = new Map<unknown, ValidateFunction>()
  const checkOf = (schema: unknown): ValidateFunction => {
    const known = checks.get(schema) ?? ajv.compile(withReferences(schema ?? true))
    checks.set(schema, known)
    return known
  }
  const routes = Object.entries(document['paths'] as Node).map(([template, item]) => {
    const escaped = template.replaceAll(/[.*+?()[\]\\]/gu, String.raw`\$&`).replaceAll(/\{[^}]+\}/gu, '[^/]+')
    return { item: item as Node, isLiteral: !template.includes('{'), pattern: new RegExp(`^${escaped}$`, 'u') }
  })
  return {
    responsesOf: (method, path) => {
      const matching = routes.filter(({ pattern }) => pattern.test(path))
      const { item } = matching.find(({ isLiteral }) => isLiteral) ?? matching[0] ?? {}
      return (item?.[method] as Node | undefined)?.['responses'] as Node | undefined
    },
    validate: (response, reply) => {
      const { content } = resolve(document, response)
      if (content === undefined) return bodiless(reply)
      const sent = (reply.contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
      const media = (content as Node)[sent] as Node | undefined
      if (!media)
        return [`sent as ${reply.contentType ?? 'nothing'}, documented is ${Object.keys(content as Node).join(', ')}`]
      const body = sent.endsWith('json') ? parseJson(reply.text) : reply.text
      if (body === undefined) return [`the body is not JSON: ${reply.text.slice(0, 100)}`]
      const check = checkOf(media['schema'])
      return check(body) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
    },
  }
}

function resolve(document: Node, value: unknown): Node {
  const pointer = (value as Node)['$ref']
  if (typeof pointer !== 'string') return value as Node
  const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = keys.slice(1).reduce<unknown>((at, key) => (at as Node)[key], document)
  return resolve(document, found)
}

/** Copies a schema, with references to the schemas that this validator has added to Ajv, and without `writeOnly` properties. */
function withReferences(schema: unknown): Node {
  const text = JSON.stringify(schema, withoutWriteOnly)
  return JSON.parse(text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"contract#/$defs/')) as Node
}

/** Removes `writeOnly` properties: they are required in requests only. */
function withoutWriteOnly(_key: string, value: unknown): unknown {
  const { properties, required } = (value ?? {}) as { readonly properties?: Node; readonly required?: unknown }
  if (!properties || !Array.isArray(required)) return value
  const sent = Object.entries(properties).filter(([, property]) => (property as Node)['writeOnly'] !== true)
  const names = new Set(sent.map(([name]) => name))
  const stillRequired = required.filter((name) => names.has(String(name)))
  return { ...(value as Node), properties: Object.fromEntries(sent), required: stillRequired }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parts = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/iu

/** Tells whether a text is a date-time of RFC 3339: an existing day, an existing time, and a possible offset. */
export function isDateTime(text: string): boolean {
  // A date-time has visible ASCII characters only.
  if (/[^\x21-\x7e]/u.test(text)) return false
  const found = parts.exec(text)
  if (!found) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  const sign = found[8] === '-' ? -1 : 1
  const [offsetHour = 0, offsetMinute = 0] = found.slice(9, 11).map((part) => Number(part ?? 0))
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  // A leap second is the last second before midnight UTC.
  const minutes = hour * 60 + minute - sign * (offsetHour * 60 + offsetMinute)
  return second === 60 && ((minutes % 1440) + 1440) % 1440 === 1439
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const validators = new Map<string, ResponseValidator>()

/** Returns the validator of a spec, with its current content. @param spec - Default: that of the package. */
export function validatorOf(spec?: string): ResponseValidator {
  const key = spec === undefined ? '' : `${spec} ${statSync(spec).mtimeMs}`
  const validator = validators.get(key) ?? createValidator(spec)
  validators.set(key, validator)
  return validator
}
