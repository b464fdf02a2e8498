/** A spec at a URL: its references may name documents of the same origin, in its folder and below. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

import { isLoopback } from '../addresses.js'
import { createFolder, writeDurably } from '../documents/durable-file.js'
import { isObject } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { describePathError, statFile } from '../documents/paths.js'
import { type Problem, ProblemsError } from '../documents/problem.js'
import { parseDocument } from '../documents/source.js'
import { plural } from '../error-message.js'
import { createRedactor, type Redact } from '../redaction.js'
import { readHeaderVariable } from '../secret-variables.js'
import { createLimits, type FetchedDocument, fetchDocument, type FetchLimits } from './fetch-document.js'
import type { RemoteDocument, SpecLocation, SpecOptions } from './location.js'

type Finding = Pick<Problem, 'hint' | 'what'>

/** @param limits - Default: 64 MiB and 30 s. @throws {ProblemsError} The URL cannot be used. @throws {TypeError} A header is not valid. */
export function openUrl(place: string, options: SpecOptions, limits: FetchLimits = createLimits()): SpecLocation {
  const headers = options.specHeaders?.map((text) => readHeaderVariable('spec-header', text)) ?? []
  const entry = checkUrl(place, headers.length > 0)
  const redact = createRedactor(headers.map(({ value }) => value))
  const credentials = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
  const fail = (file: string, { hint, what }: Finding) => new ProblemsError([{ file, what: redact(what), hint }])
  const { isStaleAllowed = false } = options
  const documents: RemoteDocument[] = []
  const warnings: Problem[] = []
  /** The documents that were read, by name. */
  const read = new Map<string, KeptCopy>()
  let isUnreachable = false

  const ask = (name: string, { etag, lastModified }: Partial<RemoteDocument>, within: FetchLimits) => {
    const since = lastModified === undefined ? {} : { 'if-modified-since': lastModified }
    const condition = etag === undefined ? since : { 'if-none-match': etag }
    return fetchDocument(name, { ...credentials, ...condition }, within)
  }

  /** @returns The document, with its bytes: a text would hide that they are not UTF-8. */
  const receive = async (name: string): Promise<ReturnType<typeof fromCopy>> => {
    const kept = isStaleAllowed ? await readCopy(name) : undefined
    // The documents of one spec belong together: after one copy, copies of the others.
    if (kept && isUnreachable) return fromCopy(kept)
    const received = await ask(name, kept ?? {}, limits)
    if (!('status' in received)) {
      if (!kept || !received.isUnreachable) throw fail(name, received)
      isUnreachable = true
      const what = `${redact(received.what)}; the copy of ${describeAge(kept.savedAt)} is used`
      warnings.push({ file: name, what, hint: received.hint })
      return fromCopy(kept)
    }
    const savedAt = new Date().toISOString()
    if (received.status === 304 && kept) return fromCopy({ ...kept, savedAt })
    const wrong = whyNoDocument(received, headers.length > 0)
    if (wrong) throw fail(name, wrong)
    const bytes = redactBytes(received.bytes, redact)
    const version = versionOf(name, received.headers, bytes)
    const isJson = isJsonDocument(received.headers['content-type'] ?? '', received.url, bytes)
    return { copy: { ...version, text: bytes.toString(), isJson, base: received.url, savedAt }, bytes }
  }

  /** Asks for documents again. Undefined in place of a document: it cannot be read. */
  const askForVersions = (known: readonly RemoteDocument[], stop?: AbortSignal) => {
    const within = createLimits(undefined, undefined, stop)
    return Promise.all(
      known.map(async (document) => {
        const received = await ask(document.url, document, within).catch(() => undefined)
        if (!received || !('status' in received)) return undefined
        if (received.status !== 200) return received.status === 304 ? document : undefined
        const version = versionOf(document.url, received.headers, redactBytes(received.bytes, redact))
        return version.sha256 === document.sha256 ? document : version
      }),
    )
  }

  return {
    entry: place,
    resolve: (from, reference) => {
      const base = read.get(place)?.base ?? entry
      const resolved = resolveBelow(base, read.get(from)?.base ?? from, reference)
      // One document has one name.
      return 'name' in resolved && (resolved.name === entry || resolved.name === base) ? { name: place } : resolved
    },
    read: async (name) => {
      const { bytes, copy } = await receive(name)
      const source = await parseDocument(name, bytes, copy.isJson)
      read.set(name, copy)
      documents.push(copy)
      return source
    },
    hasChanged: async () => (await askForVersions(documents)).some((document, index) => document !== documents[index]),
    remote: {
      documents,
      warnings,
      askAgain: async (before, stop) => {
        const found = (await askForVersions(before, stop)).map((document, index) => document ?? before[index])
        return found.every((document, index) => document === before[index]) ? before : (found as RemoteDocument[])
      },
      keep: async () => {
        if (!isStaleAllowed || isUnreachable) return
        for (const copy of read.values())
          await writeCopy(copy).catch((error: unknown) => {
            const what = `cannot be kept as a copy for starts without its host: ${describePathError(error)}`
            warnings.push({ file: copy.url, what, hint: 'make .insights-double/ in the working folder writable' })
          })
      },
    },
  }
}

const fromCopy = (copy: KeptCopy): { copy: KeptCopy; bytes: Buffer } => ({ copy, bytes: Buffer.from(copy.text) })

/** @returns The URL, as the WHATWG parser writes it. @throws {ProblemsError} It cannot be used. */
function checkUrl(place: string, hasCredentials: boolean): string {
  const url = URL.canParse(place) ? new URL(place) : undefined
  // What is no URL may have a password with a slash in it.
  const shown = url ? place.replace(/\/\/[^/]*@/u, '//') : place.replace(/\/\/.*@/u, '//')
  const refuse = (what: string, hint: string): ProblemsError => new ProblemsError([{ file: shown, what, hint }])
  if (!url) throw refuse('is not a URL', 'write such as https://api.example/openapi.json')
  if (!/^https?:$/u.test(url.protocol))
    throw refuse(`cannot be read: ${url.protocol.slice(0, -1)} is not supported`, 'use https or http')
  if (url.username !== '' || url.password !== '')
    throw refuse('has a credential in it', `give it as a header instead, ${exampleHeader}`)
  if (hasCredentials && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw refuse('would get the credential of --spec-header unencrypted', 'use https')
  return url.href
}

const exampleHeader = 'such as with --spec-header "authorization: env:CONTRACT_AUTH"'

/** Says why a response is not a document. Undefined: it may be one. */
function whyNoDocument({ bytes, headers, status }: FetchedDocument, hasCredentials: boolean): Finding | undefined {
  const forCredential = hasCredentials ? 'check the values of --spec-header' : `give a credential, ${exampleHeader}`
  const hint = status === 401 || status === 403 ? forCredential : 'check the URL'
  if (status !== 200) return { what: `cannot be read: its host answers ${status}`, hint }
  const isHtml = /^text\/html|^application\/xhtml/iu.test(headers['content-type'] ?? '')
  if (!isHtml && !/^\uFEFF?\s*<(?:!doctype|html)/iu.test(bytes.toString('utf8', 0, 1000))) return undefined
  const what = 'is an HTML page, not a contract'
  return { what, hint: 'name the URL of the JSON or YAML document, not that of its page' }
}

/** Tells whether a document is JSON: by its media type, else by the extension, else by its first character. */
function isJsonDocument(contentType: string, url: string, bytes: Buffer): boolean {
  if (/^[^;]*[/+-](?:x-)?json\b/iu.test(contentType)) return true
  const extension = extname(new URL(url).pathname).toLowerCase()
  if (/^[^;]*yaml/iu.test(contentType) || /^\.ya?ml$/u.test(extension)) return false
  return extension === '.json' || /^\uFEFF?\s*[[{]/u.test(bytes.toString('utf8', 0, 1000))
}

function versionOf(url: string, headers: FetchedDocument['headers'], bytes: Buffer): RemoteDocument {
  return { url, etag: headers['etag'], lastModified: headers['last-modified'], sha256: sha256Of(bytes.toString()) }
}

/** Removes credentials that a server repeats. */
function redactBytes(bytes: Buffer, redact: Redact): Buffer {
  const text = bytes.toString()
  const redacted = redact(text)
  return redacted === text ? bytes : Buffer.from(redacted)
}

/** @param entry - The URL of the first document. @param from - That of the document with the reference. Both after redirects. */
function resolveBelow(entry: string, from: string, reference: string): ReturnType<SpecLocation['resolve']> {
  const { origin, pathname } = new URL(entry)
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1)
  const refuse = (refused: string) => ({ refused, hint: `put the document below ${origin}${folder}` })
  if (!URL.canParse(reference, from)) return refuse('is not a URL')
  const url = new URL(reference, from)
  if (url.origin !== origin) return refuse(`is at another origin than the contract, ${origin}`)
  if (url.username !== '' || url.password !== '') return refuse('has a credential in it')
  // The parser has resolved `..`, `%2e%2e` and backslashes. A server may take an encoded slash for a slash.
  if (/%(?:2f|5c|00)/iu.test(url.pathname)) return refuse('has an encoded slash in it')
  if (!url.pathname.startsWith(folder)) return refuse('is not below the folder of the contract')
  url.hash = ''
  return { name: url.href }
}

/** Describes a time in the past with its age, such as `2026-01-05T09:30:00Z (3 hours ago)`. */
function describeAge(date: string): string {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(date)) / 60_000))
  const units = { day: 1440, hour: 60, minute: 1 }
  const [unit, size] = Object.entries(units).find(([, each]) => minutes >= 2 * each) ?? ['minute', 1]
  return `${date.slice(0, 19)}Z (${plural(Math.round(minutes / size), unit)} ago)`
}

interface KeptCopy extends RemoteDocument {
  /** Its text, without the credentials of the request. */
  readonly text: string
  readonly isJson: boolean
  /** The URL after redirects, by which its references are resolved. */
  readonly base: string
  /** When the host last sent or confirmed it. */
  readonly savedAt: string
}

const folder = join('.insights-double', 'contracts')

const sha256Of = (text: string): string => hash('sha256', text)

const fileOf = (url: string): string => join(folder, `${sha256Of(url).slice(0, 16)}.json`)

/** @returns Undefined: there is none, or it is damaged. */
async function readCopy(url: string): Promise<KeptCopy | undefined> {
  const file = fileOf(url)
  // Opening a FIFO would block.
  const text = await statFile(file)
    .then(() => readFile(file, 'utf8'))
    .catch(() => '')
  const copy = jsonIn(text)
  return isCopy(copy) && copy.url === url && copy.sha256 === sha256Of(copy.text) ? copy : undefined
}

const isCopy = (value: unknown): value is KeptCopy =>
  isObject(value) &&
  ['url', 'sha256', 'text', 'base', 'savedAt'].every((name) => typeof value[name] === 'string') &&
  ['etag', 'lastModified'].every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
  typeof value['isJson'] === 'boolean' &&
  !Number.isNaN(Date.parse(String(value['savedAt'])))

/** @throws The error of Node. */
async function writeCopy(copy: KeptCopy): Promise<void> {
  await createFolder(folder)
  await writeDurably(fileOf(copy.url), [Buffer.from(JSON.stringify(copy))])
}
