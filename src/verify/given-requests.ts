/** Reads requests that a client has sent: from a journal, a report of `run`, a HAR file, or commands of curl. */
import { parseArgs } from 'node:util'

import { isObject, type JsonObject, listOf, objectOf, textOf } from '../documents/object.js'
import { createLineCounter, ProblemsError } from '../documents/problem.js'
import { parseDocument } from '../documents/source.js'
import { isSafeMethod } from './probe.js'

export interface GivenRequest {
  readonly method: string
  /** A URL, or only its path and query. */
  readonly url: string
  /** By lower-case name. They may have secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** The name of the caller. Null: it had no credential. Undefined: not known. */
  readonly caller?: string | null
  /** True if its URL or its body is not known, or not whole. */
  readonly isCut: boolean
}

const maxScriptBytes = 64 * 1024 * 1024

/** @param file - For messages. @throws {ProblemsError} It is no valid JSON and no commands of curl, or has no request. */
export async function readGivenRequests(file: string, bytes: Buffer): Promise<readonly GivenRequest[]> {
  const isJson = /^\s*[[{]/u.test(bytes.subarray(0, 1000).toString())
  if (!isJson && bytes.length > maxScriptBytes)
    throw new ProblemsError([{ file, what: 'is no JSON, and a script has at most 64 MiB', hint: 'make it smaller' }])
  const requests = isJson
    ? requestsIn((await parseDocument(file, bytes, true)).value)
    : readCommands(file, bytes.toString())
  if (requests.length > 0) return requests
  const hint =
    'give a journal (insights-double requests --json), a report of run as .json, a HAR file, or lines of curl'
  throw new ProblemsError([{ file, what: 'has no request', hint }])
}

/** Every format of JSON has the method and the URL of a request in one object. */
function requestsIn(value: unknown): readonly GivenRequest[] {
  if (typeof value !== 'object' || value === null) return []
  const { caller, headers, method, postData, requestBody, requestHeaders, truncated, url } = value as JsonObject
  if (typeof method !== 'string' || typeof url !== 'string') return Object.values(value).flatMap(requestsIn)
  const inHar = listOf(headers).map((each) => [textOf(objectOf(each)['name']), textOf(objectOf(each)['value'])])
  const fields = [...inHar, ...Object.entries(objectOf(requestHeaders))]
  const sent = isObject(postData) ? postData['text'] : (requestBody ?? undefined)
  return [
    {
      method,
      url,
      headers: Object.fromEntries(fields.map(([name, its]) => [name.toLowerCase(), String(its)])),
      body: sent === undefined || typeof sent === 'string' ? sent : JSON.stringify(sent),
      isCut:
        listOf(truncated).some((name) => name !== 'responseBody') ||
        // A summary of a request has no body.
        (!isSafeMethod(method) && headers === undefined && requestHeaders === undefined),
      ...(caller === null || typeof caller === 'string' ? { caller } : {}),
    },
  ]
}

const quoted = /\$'((?:[^'\\]|\\[^])*)'|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/gu

const part = new RegExp(
  String.raw`(?<space>(?:[ \t\r]|\\\r?\n)+)|(?<end>[\n;&|]+|#.*)|(?<word>(?:${quoted.source}|[^\s'"\\;&|])+)`,
  'guy',
)

/** Returns a word of `sh` without its quotes. Variables stay as they are. */
const unquoted = (word: string): string =>
  word.replaceAll(quoted, (_whole, ansi?: string, single?: string, double?: string, escaped?: string) => {
    const inDouble = double?.replaceAll(/\\([$`"\\\n])/gu, (_escape, character: string) => character.trimStart())
    return (
      ansi?.replaceAll(/\\(?:u([\da-f]{4})|x([\da-f]{2})|([^]))/giu, fromEscape) ?? single ?? inDouble ?? escaped ?? ''
    )
  })

const fromEscape = (_escape: string, unicode?: string, byte?: string, other = ''): string => {
  const code = unicode ?? byte
  return code === undefined ? ({ n: '\n', r: '\r', t: '\t' }[other] ?? other) : String.fromCodePoint(parseInt(code, 16))
}

/** Options that say nothing about the request. A credential is that of a caller. */
const ignored = <T extends 'boolean' | 'string'>(type: T, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name.slice(2), { type, short: name.slice(0, 1) }]))

const curlOptions = {
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd', multiple: true },
  'data-raw': { type: 'string', multiple: true },
  'data-binary': { type: 'string', multiple: true },
  json: { type: 'string', multiple: true },
  get: { type: 'boolean', short: 'G' },
  head: { type: 'boolean', short: 'I' },
  url: { type: 'string' },
  compressed: { type: 'boolean' },
  ...ignored('string', 'u user', 'b cookie', 'A user-agent', 'e referer', 'o output', 'w write-out', 'm max-time'),
  ...ignored('boolean', 's silent', 'S show-error', 'i include', 'v verbose', 'k insecure', 'L location', 'f fail'),
} as const

function readCommands(file: string, text: string): readonly GivenRequest[] {
  const positionOf = createLineCounter(text)
  const fail = (at: number, what: string, hint: string): ProblemsError =>
    new ProblemsError([{ file, position: positionOf(at), what, hint }])
  const commands: { readonly at: number; readonly words: string[] }[] = []
  let end = 0
  let isNew = true
  for (const { 0: whole, groups = {}, index } of text.matchAll(part)) {
    end = index + whole.length
    if (groups['end'] !== undefined) isNew = true
    if (groups['word'] === undefined) continue
    if (isNew) commands.push({ at: index, words: [] })
    commands.at(-1)?.words.push(unquoted(whole))
    isNew = false
  }
  if (end < text.length) throw fail(end, 'has a quote that does not end', 'close it')
  return commands.flatMap(({ at, words }) => {
    if (!words.includes('curl')) return []
    try {
      return readCommand(words.slice(words.indexOf('curl') + 1))
    } catch {
      const known = Object.keys(curlOptions).slice(0, 9).join(', --')
      throw fail(at, 'has an option of curl that is not read, or no URL', `give a URL and only --${known}`)
    }
  })
}

/** @throws {TypeError} An option is not known, or there is no URL. */
function readCommand(args: string[]): GivenRequest {
  const { positionals, values } = parseArgs({ args, options: curlOptions, allowPositionals: true })
  const { data = [], get = false, head = false, header = [], json = [] } = values
  const sent = [...data, ...(values['data-raw'] ?? []), ...(values['data-binary'] ?? []), ...json]
  const url = values.url ?? positionals[0]
  // A file cannot be told from a text.
  if (url === undefined || [...data, ...json].some((each) => each.startsWith('@'))) throw new TypeError('no URL')
  const type = json.length > 0 ? 'application/json' : 'application/x-www-form-urlencoded'
  const fields = header.map((line) => {
    const [, name = '', value = ''] = /^([^:;]*)[:;]\s*(.*)$/su.exec(line) ?? []
    return [name.toLowerCase(), value] as const
  })
  const query = get && sent.length > 0 ? `${url.includes('?') ? '&' : '?'}${sent.join('&')}` : ''
  const hasBody = sent.length > 0 && !get
  return {
    method: values.request ?? (head ? 'HEAD' : hasBody ? 'POST' : 'GET'),
    url: url + query,
    headers: { ...(hasBody && { 'content-type': type }), ...Object.fromEntries(fields) },
    body: hasBody ? sent.join(json.length > 0 ? '' : '&') : undefined,
    isCut: false,
  }
}
