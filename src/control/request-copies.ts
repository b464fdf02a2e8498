/** Writes a recorded request as a command, as code, as a test, or as a request that a page can send again. */
import { placeToken, type Security, type SecurityScheme } from '../contract/security.js'
import { curlCommand, type TextPart } from '../curl-command.js'
import { createError } from '../http-errors.js'
import { redacted, redactedParts } from '../redaction.js'
import { type RecordedRequest, type RequestDetails, toJournalEntry } from '../sandbox/journal-entry.js'
import type { AdminRequest } from './admin-handler-types.js'
import type { Replay } from './page-types.js'

/** @param security - That of the operation. @param isLater - Earlier requests of the run have changed records. @throws {DoubleError} `not_repeatable`: the request could not be parsed. */
export function copyRequest(
  recorded: RecordedRequest,
  as: 'curl' | 'fetch' | 'playwright' | 'vitest',
  origin: string,
  security: Security,
  isLater: boolean,
): string {
  const isTest = as === 'vitest' || as === 'playwright'
  const { notes, ...request } = prepareRequestCopy(recorded, isTest ? '' : origin, security)
  const later = 'Earlier requests had changed the state. The sandbox of this test begins with its fixture.'
  const copy = { ...request, notes: isTest && isLater ? [...notes, later] : notes }
  if (as === 'curl') return toCurl(copy)
  return isTest ? toTest(recorded, as, copy) : toFetch(copy)
}

/** Returns a request with the credentials of a caller: of the recorded one, or of the parameter `caller`, in which none is empty. @throws {DoubleError} `unknown_caller`, `not_repeatable`. */
export function toReplay(recorded: RecordedRequest, security: Security, request: AdminRequest): Replay {
  const name = request.parameters.caller ?? recorded.summary.caller ?? ''
  const { callers } = request.sandbox.store.committed
  const caller = callers.find((each) => each.name === name)
  if (name !== '' && !caller)
    throw createError('unknown_caller', { got: name, known: callers.map((each) => each.name) })
  const { id, method, url } = recorded.summary
  const details = recorded.details()
  const { requestHeaders, requestText, truncated } = details
  const isCut = truncated.some((part) => part !== 'responseBody')
  const isUnread = hasUnreadBody(recorded, details)
  if (isCut || isUnread) throw createError('not_repeatable', { id, reason: isCut ? 'it was cut' : unread })
  const target = new URL(url, request.origin)
  const headers = Object.fromEntries(
    Object.entries(requestHeaders).filter(([header, value]) => !ownHeaders.test(header) && !value.includes(redacted)),
  )
  for (const scheme of security.find(({ length }) => length > 0) ?? []) {
    if (scheme.in === 'query') target.searchParams.delete(scheme.parameter)
    if (!caller) continue
    const placed = placeToken([scheme], caller.tokens.get(scheme.name) ?? caller.tokens.get('') ?? '')
    Object.assign(headers, placed.headers)
    for (const [parameter, value] of Object.entries(placed.query)) target.searchParams.append(parameter, value)
  }
  return { method, url: target.pathname + target.search, headers, body: requestText ?? null }
}

const unread = 'it was refused before its body was read'

/** Tells whether a refused request has sent a body that the journal does not have. */
function hasUnreadBody({ common }: RecordedRequest, { requestHeaders, requestText }: RequestDetails): boolean {
  const { 'content-length': length = 0, 'transfer-encoding': coding } = requestHeaders
  const isRefused = (common.status ?? 0) >= 400
  return isRefused && requestText === undefined && (Number(length) > 0 || coding !== undefined)
}

/** The copy of a recorded request, to send it again. Redacted parts are environment variables, parts that cannot be repeated notes: sentences. */
type RequestCopy = ReturnType<typeof prepareRequestCopy>

/** Header fields that a client or a browser sets itself, or that concern the connection. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|user-agent|accept-encoding|accept-language|origin|referer|sec-.*)$/u

/** @param origin - The origin of the double, such as `http://127.0.0.1:4010`. @param security - The security of the operation. */
function prepareRequestCopy(recorded: RecordedRequest, origin: string, security: Security) {
  const { summary } = recorded
  const details = recorded.details()
  const { requestHeaders, requestText, truncated } = details
  const variables = createVariables(summary.caller, security)
  const basic = variables.basicIn(requestHeaders)
  const headers = Object.entries(requestHeaders)
    .filter(([name, value]) => !ownHeaders.test(name) && !(name === 'accept' && value === '*/*'))
    .filter(([name]) => !(basic && name === 'authorization'))
    .map(([name, value]) => [name, variables.inHeader(name, value)] as const)
  // The target may be absolute. The sandbox of a test has a base URL of its own.
  const path = summary.url.replace(/^[a-z]+:\/\/[^/?]*/iu, '')
  const target = origin === '' ? belowSandbox(path) : path
  const request = {
    method: summary.method,
    url: variables.inUrl(origin + target),
    headers,
    basic,
    body: requestText === undefined ? undefined : variables.inBody(requestText),
    // A redirect must not be followed.
    isRedirect: summary.status !== null && summary.status >= 300 && summary.status < 400,
  }
  const notes = [
    ...variables.notes.values(),
    hasUnreadBody(recorded, details) && `The request has no body here: ${unread}.`,
    truncated.includes('url') && 'The URL was cut after 2,048 characters.',
    truncated.includes('requestBody') && 'The request body was cut after 16 KiB.',
    requestText?.includes('\uFFFD') && 'The request body is not text. Bytes that are not UTF-8 were replaced.',
  ]
  return { ...request, notes: notes.filter((note) => typeof note === 'string') }
}

const belowSandbox = (path: string): string => path.replace(/^\/sandboxes\/[^/]+(?=\/)/u, '')

/** Creates what puts variables in place of the redacted parts of a request. The notes describe these, by variable. */
function createVariables(caller: string | null, security: Security) {
  const notes = new Map<string, string>()
  const schemes = caller === null ? [] : security.flat()
  const schemesIn = (place: SecurityScheme['in']) => schemes.filter((scheme) => scheme.in === place)
  /** Returns the variable of the caller's token. A caller may have one for each scheme. */
  const tokenOf = ({ name }: SecurityScheme) => {
    const isOnly = schemes.every((scheme) => scheme.name === name)
    const variable = variableName(`${caller ?? ''}${isOnly ? '' : `_${name}`}_token`)
    notes.set(variable, `${variable} is the token of ${caller ?? ''}${isOnly ? '' : ` for ${name}`}.`)
    return { variable }
  }
  /** @param nameOf - Returns the variable for a redacted value, given the text before it. */
  const replace = (text: string, nameOf: (before: string) => string, place: string): readonly TextPart[] => {
    const parts: TextPart[] = []
    let end = 0
    for (const { 0: part, index: at } of text.matchAll(redactedParts)) {
      const variable = nameOf(text.slice(0, at))
      if (!notes.has(variable)) notes.set(variable, `${variable} was redacted from ${place}.`)
      parts.push(text.slice(end, at), { variable })
      end = at + part.length
    }
    return [...parts, text.slice(end)].filter((part) => part !== '')
  }
  return {
    notes,
    /** Returns the user and password of a caller that has used Basic. */
    basicIn: (headers: RequestDetails['requestHeaders']): TextPart | undefined => {
      const inAuthorization = schemesIn('header').filter(({ kind }) => kind !== 'apiKey')
      const [first] = inAuthorization
      const isBasic = inAuthorization.every(({ kind }) => kind === 'basic')
      return first && isBasic && headers['authorization'] !== undefined ? tokenOf(first) : undefined
    },
    inHeader: (name: string, value: string): readonly TextPart[] => {
      const scheme = schemesIn('header').find(({ parameter }) => parameter.toLowerCase() === name)
      if (value === redacted && scheme) return [scheme.prefix === '' ? '' : `${scheme.prefix} `, tokenOf(scheme)]
      const cookies = schemesIn('cookie')
      if (name === 'cookie' && value === redacted && cookies.length > 0)
        return cookies.flatMap((each, index) => [`${index > 0 ? '; ' : ''}${each.parameter}=`, tokenOf(each)])
      return replace(value, () => variableName(name), `the header ${name}`)
    },
    inUrl: (url: string): readonly TextPart[] => {
      const nameOf = (before: string): string => {
        const name = /[?&]([^=&]*)=[^&]*$/u.exec(before)?.[1] ?? 'redacted'
        const used = schemesIn('query').find(({ parameter }) => parameter === name)
        return used ? tokenOf(used).variable : variableName(name)
      }
      return replace(url, nameOf, 'the URL')
    },
    inBody: (text: string): readonly TextPart[] => {
      const nameBefore = /([\w-]+)(?:"\s*:\s*\[?\s*"?|=|"\r\n[^]*)$/u
      const nameOf = (before: string): string => variableName(nameBefore.exec(before.slice(-200))?.[1] ?? 'redacted')
      return replace(text, nameOf, 'the request body')
    },
  }
}

const variableName = (name: string): string => {
  const words = name.toUpperCase().replaceAll(/[^A-Z\d]+/gu, '_')
  return words.replace(/^(?=\d|$)/u, '_')
}

/** Writes the command. Notes come first, as comments. */
function toCurl({ headers, notes, ...request }: RequestCopy): string {
  const texts = headers.map(([name, value]) => [name, value.map(encodedAsUtf8)] as const)
  const words = curlCommand({ ...request, headers: texts }, '-g', '--path-as-is')
  return [...notes.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n') + '\n'
}

/** Reads the bytes of a header field, which Node shows as Latin-1, as UTF-8: a shell sends texts so. */
const encodedAsUtf8 = (part: TextPart): TextPart =>
  typeof part === 'string' ? Buffer.from(part, 'latin1').toString() : part

/** Writes the call. Notes come first, as comments. @param base - The expression of the base URL. Default: the URL has it. */
function toFetch({ basic, body, headers, isRedirect, method, notes, url }: RequestCopy, base?: string): string {
  const isSent = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const fields = [
    ...headers.map(([name, value]) => [name, quote(value)]),
    ...(basic === undefined ? [] : [['authorization', `\`Basic \${btoa(${quote([basic])})}\``]]),
  ]
  const hasContentType = headers.some(([name]) => name === 'content-type')
  const all = [...notes, ...(body === undefined || isSent ? [] : [`fetch cannot send a body with ${method}.`])]
  return [
    ...all.map((note) => `// ${note}`),
    `const response = await fetch(${quote(url, base)}, {`,
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

/** Writes a test that sends the request to its sandbox, and expects the status and the JSON of the response. */
function toTest(recorded: RecordedRequest, runner: 'playwright' | 'vitest', copy: RequestCopy): string {
  const { responseBody, status, truncated, verdict, ...request } = toJournalEntry(recorded)
  const isWhole = typeof responseBody === 'object' && responseBody !== null && !truncated.includes('responseBody')
  // A time of this moment is another one in each run.
  const isNow = (time: string): boolean => Math.abs(Date.parse(time) - Date.parse(request.time)) < 5000
  const json = JSON.stringify(responseBody, null, 2).replaceAll(/"(\d{4}-\d\d-\d\dT[^"]+)"/gu, (text, time: string) =>
    isNow(time) ? 'expect.any(String)' : text,
  )
  const lines = [
    ...toFetch(copy, 'sandbox.url').trimEnd().split('\n'),
    `expect(response.status).toBe(${status ?? 0})`,
    ...(isWhole && !json.includes(redacted) ? `expect(await response.json()).toEqual(${json})`.split('\n') : []),
  ]
  return [
    `import { doubleFixtures } from 'insights-double/${runner}'`,
    `import { expect, test as base } from '${runner === 'vitest' ? 'vitest' : '@playwright/test'}'`,
    '',
    `const test = base.extend(${verdict === 'ok' ? 'doubleFixtures' : '{ ...doubleFixtures, expectViolations: true }'})`,
    '',
    `test(${JSON.stringify(`${request.method} ${belowSandbox(request.url)}`)}, async ({ sandbox }) => {`,
    ...lines.map((line) => `  ${line}`),
    '})',
    '',
  ].join('\n')
}

/** Quotes a text for JavaScript: as a string, or as a template if there are variables. @param start - An expression for its start. */
function quote(parts: readonly TextPart[], start?: string): string {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return `process.env.${only.variable}`
  if (start === undefined && parts.every((part) => typeof part === 'string')) return JSON.stringify(parts.join(''))
  const texts = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/[`\\]|\$(?=\{)/gu, String.raw`\$&`)
      : `\${process.env.${part.variable}}`,
  )
  return `\`${start === undefined ? '' : `\${${start}}`}${texts.join('')}\``
}
