import type { Security, SecurityScheme } from '../contract/security.js'
import { curlCommand, type CurlRequest, type TextPart } from '../curl-command.js'
import { createError } from '../http-errors.js'
import { redacted, redactedParts } from '../redaction.js'
import type { RecordedRequest, RequestDetails, RequestSummary } from '../sandbox/journal-entry.js'
import { matchesFilter, toJournalEntry } from '../sandbox/journal-entry.js'
import type { AdminHandlers, AdminRequest } from './admin-handler-types.js'
import { toFault } from './fault-handlers.js'

/** The query parameters of `listRequests`. */
const filters = ['operation', 'status', 'caller', 'verdict', 'id', 'atLeast', 'withinMs']

export const journalHandlers: AdminHandlers = {
  // Returns the entries that match a filter. Waits until there are enough if the request has `atLeast`.
  listRequests: async (request) => {
    const { clientSignal, double, parameters, sandbox } = request
    checkFilters(request)
    const { atLeast = 0, withinMs = 0, ...filter } = parameters
    let signal: AbortSignal | undefined
    const createSignal = (): AbortSignal => (signal = clientSignal())
    const satisfied = await sandbox.journal.wait(filter, { atLeast, withinMs, createSignal })
    // A client that has disconnected gets no entries.
    const isGone = signal?.aborted && !double.stopping.aborted
    const entries = isGone ? [] : sandbox.journal.find(filter).map(toJournalEntry)
    return { body: { entries, matched: entries.length, evicted: sandbox.journal.evicted, satisfied } }
  },
  // Returns the newest matching requests in short form, one line each, newest first.
  listRequestLines: ({ parameters, sandbox: { journal } }) => {
    const { after, limit = 100, q = '', ...filter } = parameters
    const all = journal.find()
    const start = after === undefined ? 0 : all.findIndex(({ summary: { id } }) => id === after) + 1
    const matching = all.slice(start).filter((entry) => matchesFilter(entry, filter) && hasText(entry.summary, q))
    const newest = matching.slice(-limit).toReversed()
    const lines = newest.map(({ summary }) => toLine(summary))
    return { body: { lines, matched: matching.length, total: all.length, evicted: journal.evicted } }
  },
  getRequest: ({ double, origin, parameters: { as, id = '' }, sandbox }) => {
    const recorded = sandbox.journal.get(id)
    if (!recorded) throw createError('unknown_request', { id })
    if (as === undefined) return { body: toJournalEntry(recorded) }
    if (as === 'fault') return { body: toFault(recorded) }
    const { method, operation } = recorded.summary
    if (method === '') throw createError('not_repeatable', { id, reason: 'it could not be parsed as HTTP' })
    const security = double.service().contract.operations.find((each) => each.id === operation)?.security ?? []
    const request = prepareRequestCopy(recorded, origin, security)
    return { body: as === 'curl' ? toCurl(request) : toFetch(request), mediaType: 'text/plain' }
  },
  clearRequests: ({ sandbox }) => ({ commit: () => sandbox.journal.clear() }),
  getCoverage: ({ double, sandbox: { coverage } }) => ({
    body: coverage.rows(double.service().contract.operations),
  }),
  streamEvents: ({ double, parameters, sandbox, clientSignal }) => {
    const { changes, 'Last-Event-ID': lastEventId } = parameters
    const stream = double.eventStreams.open(sandbox.journal, lastEventId, changes)
    const signal = clientSignal()
    if (signal.aborted) stream.end()
    else signal.addEventListener('abort', () => stream.end(), { once: true })
    return { body: stream, mediaType: 'text/event-stream' }
  },
}

/** Refuses filters that cannot match. @throws {DoubleError} `unknown_filter`, `unknown_operation`, `unknown_caller`. */
function checkFilters({ double, parameters: { caller, operation }, sandbox, unknownParameters }: AdminRequest): void {
  const [unknown] = unknownParameters
  if (unknown !== undefined) throw createError('unknown_filter', { got: unknown, known: filters })
  // A reload or a new state may have removed names that the journal still contains.
  const recorded = sandbox.journal.find().map(({ summary }) => summary)
  const operations = double.service().contract.operations.map(({ id }) => id)
  if (operation !== undefined && ![...operations, ...recorded.map((each) => each.operation)].includes(operation))
    throw createError('unknown_operation', { got: operation, known: operations })
  const callers = sandbox.store.pending.callers.map(({ name }) => name)
  if (caller !== undefined && ![...callers, ...recorded.map((each) => each.caller)].includes(caller))
    throw createError('unknown_caller', { got: caller, known: callers })
}

/** The longest request target of a line, characters. */
const maxUrlLength = 200

function hasText({ id, method, note, url, violations }: RequestSummary, text: string): boolean {
  const texts = [id, `${method} ${url}`, note ?? '', ...violations.map(({ message }) => message)]
  return text === '' || texts.some((each) => each.toLowerCase().includes(text.toLowerCase()))
}

function toLine(entry: RequestSummary): object {
  const { caller, durationMs, fault, id, method, operation, status, time, url, verdict, violations } = entry
  const shownUrl = url.length > maxUrlLength ? `${url.slice(0, maxUrlLength)}…` : url
  const warnings = violations.filter(({ severity }) => severity === 'Warning').length
  return { id, time, method, url: shownUrl, operation, caller, status, durationMs, verdict, fault, warnings }
}

/** The copy of a recorded request, to send it again. Redacted parts are environment variables, parts that cannot be repeated notes. */
interface RequestCopy extends CurlRequest {
  /** True if the response was a redirect, which must not be followed. */
  readonly isRedirect: boolean
  /** Sentences that say how the request differs from the recorded one. */
  readonly notes: readonly string[]
}

/** Header fields that a client sets itself, or that concern the connection. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|user-agent|accept-encoding|accept-language|sec-.*)$/u

/** @param origin - The origin of the double, such as `http://127.0.0.1:4010`. @param security - The security of the operation. */
function prepareRequestCopy(recorded: RecordedRequest, origin: string, security: Security): RequestCopy {
  const { summary } = recorded
  const { requestHeaders, requestText, truncated } = recorded.details()
  const credentials = new Credentials(summary, security)
  const basic = credentials.basicIn(requestHeaders)
  const headers = Object.entries(requestHeaders)
    .filter(([name, value]) => !ownHeaders.test(name) && !(name === 'accept' && value === '*/*'))
    .filter(([name]) => !(basic && name === 'authorization'))
    .map(([name, value]) => [name, credentials.inHeader(name, value)] as const)
  // The target may be absolute.
  const target = summary.url.replace(/^[a-z]+:\/\/[^/?]*/iu, '')
  const request = {
    method: summary.method,
    url: credentials.inUrl(origin + target),
    headers,
    basic,
    body: requestText === undefined ? undefined : credentials.inBody(requestText),
    isRedirect: summary.status !== null && summary.status >= 300 && summary.status < 400,
  }
  return { ...request, notes: [...credentials.notes.values(), ...notesOf(truncated, requestText)] }
}

function notesOf(truncated: RequestDetails['truncated'], requestText = ''): readonly string[] {
  const isText = !requestText.includes('\uFFFD')
  return [
    ...(truncated.includes('url') ? ['The URL was cut after 2,048 characters.'] : []),
    ...(truncated.includes('requestBody') ? ['The request body was cut after 16 KiB.'] : []),
    ...(isText ? [] : ['The request body is not text. Bytes that are not UTF-8 were replaced.']),
  ]
}

class Credentials {
  readonly #caller: string | null
  readonly #schemes: readonly SecurityScheme[]
  /** By variable. */
  readonly notes = new Map<string, string>()

  constructor({ caller }: RequestSummary, security: Security) {
    this.#caller = caller
    this.#schemes = caller === null ? [] : security.flat()
  }

  /** Returns the user and password of a caller that has used Basic. */
  basicIn(headers: RequestDetails['requestHeaders']): TextPart | undefined {
    const inAuthorization = this.#schemes.filter(({ in: place, kind }) => place === 'header' && kind !== 'apiKey')
    const [first] = inAuthorization
    const isBasic = inAuthorization.every(({ kind }) => kind === 'basic')
    return first && isBasic && headers['authorization'] !== undefined ? this.#token(first) : undefined
  }

  inHeader(name: string, value: string): readonly TextPart[] {
    const schemes = this.#schemes.filter(({ in: place }) => place === 'header')
    const scheme = schemes.find(({ parameter }) => parameter.toLowerCase() === name)
    if (value === redacted && scheme) return [scheme.prefix === '' ? '' : `${scheme.prefix} `, this.#token(scheme)]
    const cookies = this.#schemes.filter(({ in: place }) => place === 'cookie')
    if (name === 'cookie' && value === redacted && cookies.length > 0)
      return cookies.flatMap((each, index) => [`${index > 0 ? '; ' : ''}${each.parameter}=`, this.#token(each)])
    return this.#replace(value, () => variableName(name), `the header ${name}`)
  }

  inUrl(url: string): readonly TextPart[] {
    const nameOf = (before: string): string => {
      const name = /[?&]([^=&]*)=[^&]*$/u.exec(before)?.[1] ?? 'redacted'
      const used = this.#schemes.find(({ in: place, parameter }) => place === 'query' && parameter === name)
      return used ? this.#token(used).variable : variableName(name)
    }
    return this.#replace(url, nameOf, 'the URL')
  }

  inBody(text: string): readonly TextPart[] {
    const nameBefore = /([\w-]+)(?:"\s*:\s*\[?\s*"?|=|"\r\n[^]*)$/u
    const nameOf = (before: string): string => variableName(nameBefore.exec(before.slice(-200))?.[1] ?? 'redacted')
    return this.#replace(text, nameOf, 'the request body')
  }

  /** Returns the variable of the caller's token. A caller may have one for each scheme. */
  #token({ name }: SecurityScheme): { readonly variable: string } {
    const isOnly = this.#schemes.every((scheme) => scheme.name === name)
    const variable = variableName(`${this.#caller ?? ''}${isOnly ? '' : `_${name}`}_token`)
    this.notes.set(variable, `${variable} is the token of ${this.#caller ?? ''}${isOnly ? '' : ` for ${name}`}.`)
    return { variable }
  }

  /** @param nameOf - Returns the variable for a redacted value, given the text before it. */
  #replace(text: string, nameOf: (before: string) => string, place: string): readonly TextPart[] {
    const parts: TextPart[] = []
    let end = 0
    for (const { 0: part, index: at } of text.matchAll(redactedParts)) {
      const variable = nameOf(text.slice(0, at))
      if (!this.notes.has(variable)) this.notes.set(variable, `${variable} was redacted from ${place}.`)
      parts.push(text.slice(end, at), { variable })
      end = at + part.length
    }
    return [...parts, text.slice(end)].filter((part) => part !== '')
  }
}

const variableName = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z\d]+/gu, '_')
    .replace(/^(?=\d|$)/u, '_')

/** Writes the command. Notes come first, as comments. */
function toCurl({ headers, notes, ...request }: RequestCopy): string {
  const texts = headers.map(([name, value]) => [name, value.map(encodedAsUtf8)] as const)
  const all = [
    ...notes,
    ...texts.filter(([, value]) => has(value, '\uFFFD')).map(([name]) => `The header ${name} is not UTF-8 text.`),
    ...(has(request.body ?? [], '\0') ? ['The request body has NUL characters, which a shell leaves out.'] : []),
  ]
  const words = curlCommand({ ...request, headers: texts }, '-g', '--path-as-is')
  return [...all.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n') + '\n'
}

/** Reads the bytes of a header field, which Node shows as Latin-1, as UTF-8: a shell sends texts so. */
const encodedAsUtf8 = (part: TextPart): TextPart =>
  typeof part === 'string' ? Buffer.from(part, 'latin1').toString() : part

const has = (parts: readonly TextPart[], text: string): boolean =>
  parts.some((part) => typeof part === 'string' && part.includes(text))

/** Writes the call. Notes come first, as comments. */
function toFetch({ basic, body, headers, isRedirect, method, notes, url }: RequestCopy): string {
  const isSent = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const fields = [
    ...headers.map(([name, value]) => [name, quote(value)]),
    ...(basic === undefined ? [] : [['authorization', `\`Basic \${btoa(${quote([basic])})}\``]]),
  ]
  const hasContentType = headers.some(([name]) => name === 'content-type')
  const all = [
    ...notes,
    ...(body === undefined || isSent ? [] : [`fetch cannot send a body with ${method}.`]),
    ...(method === 'TRACE' || method === 'CONNECT' ? [`fetch cannot send ${method}.`] : []),
    ...(url.some(hasDots) ? ['fetch resolves the dots in the path.'] : []),
  ]
  return [
    ...all.map((note) => `// ${note}`),
    `const response = await fetch(${quote(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(isRedirect ? [`  redirect: 'manual',`] : []),
    ...(fields.length > 0
      ? ['  headers: {', ...fields.map(([name = '', value]) => `    ${JSON.stringify(name)}: ${value},`), '  },']
      : []),
    // fetch would send the type of a text.
    ...(isSent ? [`  body: ${hasContentType ? quote(body) : `new TextEncoder().encode(${quote(body)})`},`] : []),
    '})',
    '',
  ].join('\n')
}

const hasDots = (part: TextPart): boolean => typeof part === 'string' && /^[^?]*\/\.{1,2}(?:[/?]|$)/u.test(part)

/** Quotes a text for JavaScript: as a string, or as a template if there are variables. */
function quote(parts: readonly TextPart[]): string {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return `process.env.${only.variable}`
  if (parts.every((part) => typeof part === 'string')) return JSON.stringify(parts.join(''))
  const texts = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/[`\\]|\$(?=\{)/gu, String.raw`\$&`)
      : `\${process.env.${part.variable}}`,
  )
  return `\`${texts.join('')}\``
}
