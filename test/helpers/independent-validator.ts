/**
 * Validates replies without any code of the double: with Ajv, a separate date-time check, and the specs as files. So it finds mistakes
 * that the validation of the double would miss.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

import { isDateTime } from './date-time.js'

/** A reply, and what it is a reply to. */
export interface Judged {
  readonly method: string
  /** The request target as sent: with its query, and with the part that picks a sandbox. */
  readonly target: string
  readonly status: number
  /** The reply's Content-Type. */
  readonly contentType: string | undefined
  readonly text: string
  /** The reply's x-error-code. Only a sandbox that is not there is told by it. */
  readonly errorCode?: string | undefined
}

/** Says what is wrong with a reply. Nothing: it is as its contract has it. */
export type Judge = (reply: Judged) => readonly string[]

type Node = Readonly<Record<string, unknown>>

/** Statuses for what is wrong with a request as HTTP. No contract documents them for each operation, and any may get them. */
const transport: ReadonlySet<number> = new Set([408, 417, 431])

const packageFile = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** Makes a judge. @param spec - The spec of the service. Default: that of the package. */
export function createJudge(spec: string = packageFile('spec/insights.yaml')): Judge {
  // Read when it is first needed: most test files ask one of the two.
  const service = once(() => readContract(spec))
  const control = once(() => readContract(packageFile('spec/control.yaml')))
  return (reply) => {
    const path = pathOf(reply.target)
    const contract = /^\/__admin(?:\/|$)/u.test(path) ? control() : service()
    const isHead = reply.method === 'HEAD'
    const responses = contract.responsesOf(isHead ? 'get' : reply.method.toLowerCase(), path)
    if (reply.method === 'OPTIONS' && reply.status === 204) return bodiless(reply)
    // The console is at the path with a slash, and who leaves it out is sent there. No contract says so.
    if (path === '/__admin' && reply.status === 308) return bodiless(reply)
    if (!responses && isLanding(reply)) return []
    if (isHead) return headed(reply, responses)
    const isTransport = transport.has(reply.status) || reply.errorCode === 'unknown_sandbox'
    if (!responses || isTransport) return anError(reply)
    const documented = responses[String(reply.status)] ?? responses[`${Math.floor(reply.status / 100)}XX`]
    const found = documented ?? responses['default']
    if (!found) return [`status ${reply.status} is not documented for ${reply.method} ${path}`]
    return [...(reply.status >= 400 ? anError(reply) : []), ...contract.judge(found, reply)]
  }
}

/** Tells whether a response is one of `/`, `/openapi.json` or `/openapi.yaml`, which no contract has: other tests check them. */
export function isLanding({ method, status, target }: Pick<Judged, 'method' | 'status' | 'target'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = pathOf(target)
  return (
    (status === 200 && ['/', '', '/openapi.json', '/openapi.yaml'].includes(path)) || (status === 302 && path === '/')
  )
}

/** The path of a request target, below the sandbox that it picks. */
const pathOf = (target: string): string =>
  (target.split(/[?#]/u)[0] ?? '').replace(/^https?:\/\/[^/?]+/iu, '').replace(/^\/sandboxes\/[^/]*(?=\/)/u, '')

/** Calls a function when its value is first asked for, and keeps that. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function bodiless({ contentType, status, text }: Judged): readonly string[] {
  if (text !== '') return [`a ${status} without a documented body has one: ${text.slice(0, 100)}`]
  return contentType === undefined ? [] : [`a ${status} without a body has Content-Type ${contentType}`]
}

function headed(reply: Judged, responses: Node | undefined): readonly string[] {
  if (reply.text !== '') return ['a reply to HEAD has a body']
  if (reply.status >= 400) return reply.contentType === 'application/json' ? [] : ['a HEAD that fails is not JSON']
  return responses?.[String(reply.status)] ? [] : [`status ${reply.status} is not documented for HEAD ${reply.target}`]
}

/** Checks the rules of every error, from any source. */
function anError({ contentType, status, text }: Judged): readonly string[] {
  if (status < 400) return [`status ${status} is for a success, and there is nothing that could succeed`]
  if (contentType !== 'application/json') return [`an Error is sent as ${contentType ?? 'nothing'}`]
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [`an Error is no object: ${text}`]
  const { error, message, ...others }: Node = { ...body }
  const wrong: string[] = []
  if (error !== status) wrong.push(`error is ${JSON.stringify(error)}, the status ${status}`)
  if (typeof message !== 'string' || message.trim() === '') wrong.push(`message is ${JSON.stringify(message)}`)
  if (Object.keys(others).length > 0) wrong.push(`an Error has further keys: ${Object.keys(others).join(', ')}`)
  return wrong
}

interface ReadContract {
  responsesOf(method: string, path: string): Node | undefined
  judge(response: unknown, reply: Judged): readonly string[]
}

function readContract(file: string): ReadContract {
  const document = parse(readFileSync(file, 'utf8')) as Node
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: true, strictRequired: false })
  for (const keyword of ['example', 'x-assumption']) ajv.addKeyword(keyword)
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('uri', (text) => URL.canParse(text))
  ajv.addFormat('int32', { type: 'number', validate: (value) => value === (value | 0) })
  const schemas = (document['components'] as Node | undefined)?.['schemas']
  ajv.addSchema({ $id: 'contract', $defs: withReferences(schemas ?? {}) })
  const checks = new Map<unknown, ValidateFunction>()
  const checkOf = (schema: unknown): ValidateFunction => {
    const known = checks.get(schema) ?? ajv.compile(withReferences(schema ?? true))
    checks.set(schema, known)
    return known
  }
  const routes = Object.entries(document['paths'] as Node).map(([template, item]) => ({
    item: item as Node,
    isLiteral: !template.includes('{'),
    pattern: new RegExp(
      `^${template.replaceAll(/[.*+?()[\]\\]/gu, String.raw`\$&`).replaceAll(/\{[^}]+\}/gu, '[^/]+')}$`,
      'u',
    ),
  }))
  return {
    responsesOf: (method, path) => {
      const matching = routes.filter(({ pattern }) => pattern.test(path))
      const { item } = matching.find(({ isLiteral }) => isLiteral) ?? matching[0] ?? {}
      return (item?.[method] as Node | undefined)?.['responses'] as Node | undefined
    },
    judge: (response, reply) => {
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
  const found = pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Node)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return resolve(document, found)
}

/** A copy in which what is under components.schemas is found where the judge keeps it. */
function withReferences(schema: unknown): Node {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"contract#/$defs/')
  return JSON.parse(text) as Node
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
