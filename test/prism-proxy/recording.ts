/** Records the requests of the test suite and the responses, and sends them again, without the exchanges that cannot be compared. */
import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { packageFolder } from '../helpers/files.js'
import { listen, type Listening } from '../helpers/port.js'
import { type RecordedExchange, type RecordedNote, recordingVariable } from '../helpers/recording-format.js'
import { requestedFault } from '../helpers/validate-responses.js'
import type { Checking, Findings, Call } from './findings.js'

export interface Recording {
  /** The requests to send, each once. */
  readonly exchanges: readonly RecordedExchange[]
  /** The number of exchanges, by their use. */
  readonly counts: ReadonlyMap<string, number>
}

export async function readRecording(folder: string): Promise<Recording> {
  const names = await readdir(folder)
  const read = async <T>(kind: string): Promise<T[]> => {
    const found: T[] = []
    for (const name of names.filter((each) => each.startsWith(`${kind}-`)))
      for await (const line of createInterface(createReadStream(join(folder, name)))) found.push(JSON.parse(line) as T)
    return found
  }
  const notes = await read<RecordedNote>('notes')
  const all = (await read<RecordedExchange>('exchanges')).toSorted((one, other) => one.at - other.at)
  const others = serversNoted(all, notes)
  const counts = new Map<string, number>()
  const distinct = new Map<string, RecordedExchange>()
  for (const exchange of all) {
    const text = exchange.body === undefined ? '' : await readFile(join(folder, exchange.body), 'utf8')
    const why = others.get(exchange.server) ?? whyNot(exchange, text)
    const { at: _at, headers, port: _port, replyHeaders, server: _server, url, ...rest } = exchange
    const { accept, authorization } = headers
    const { 'x-request-id': _id, ...fields } = replyHeaders
    const key = JSON.stringify([pathOf(url), accept, authorization, fields, rest])
    const what = why ?? (distinct.has(key) ? 'equal to an earlier one' : 'sent')
    counts.set(what, (counts.get(what) ?? 0) + 1)
    if (why === undefined && !distinct.has(key)) distinct.set(key, exchange)
  }
  return { exchanges: [...distinct.values()], counts }
}

/** Finds the servers that have a note, with the reason. A note is for the server that has the port at that time, or for the next one on it. */
function serversNoted(
  exchanges: readonly RecordedExchange[],
  notes: readonly RecordedNote[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { at, port, why } of notes) {
    const next = exchanges.find((exchange) => exchange.port === port && exchange.at >= at)
    if (next) found.set(next.server, why)
  }
  return found
}

/** Returns the reason why an exchange does not belong to the contract. Undefined: it does. */
function whyNot({ method, replyHeaders, status, url }: RecordedExchange, text: string): string | undefined {
  if (method === 'HEAD' || method === 'OPTIONS') return 'HEAD and preflights, which are not in the contract'
  if (status === 408 || status === 413 || status === 417 || status === 431) return 'refused by a rule of HTTP'
  if (replyHeaders['x-error-code'] === 'unknown_sandbox') return 'an unknown sandbox'
  // On these, Prism's proxy closes the connection.
  const [path = ''] = pathOf(url).split('?')
  if (!path.startsWith('/')) return 'a target that is not a path'
  if (!isDecodable(path)) return 'a path that cannot be decoded'
  return requestedFault.test(text) ? 'a fault with a chosen status' : undefined
}

/** Returns the path in the contract, without the prefix of the sandbox. */
export const pathOf = (url: string): string =>
  url.replace(/^https?:\/\/[^/?]+/iu, '').replace(/^\/sandboxes\/[^/?]*(?=\/)/u, '') || '/'

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The file that marks a complete recording. */
export const wholeMark = 'whole'

/** Runs the whole suite and records the responses of its doubles. @throws {Error} A test fails. */
export async function recordSuite(folder: string): Promise<void> {
  const recorder = new URL('preload-recorder.js', import.meta.url).href
  const env = { ...process.env, [recordingVariable]: folder, NODE_OPTIONS: `--import ${recorder}` }
  const words = ['node_modules/ava/entrypoints/cli.mjs', '--tap']
  const suite = spawn(process.execPath, words, { cwd: packageFolder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let failed = ''
  createInterface(suite.stdout).on('line', (line) => (failed += line.startsWith('not ok') ? `${line}\n` : ''))
  const code = await new Promise<number | null>((resolve) => suite.once('close', resolve))
  if (code !== 0) throw new Error(`The suite ended with ${code}\n${failed}`)
  await writeFile(join(folder, wholeMark), '')
}

/** The header fields that concern a connection, and not the content of a message. */
const ofTheConnection = /^(?:connection|content-length|date|keep-alive|transfer-encoding)$/u

/** The header fields that the contract uses. Others are not sent: some values of the fuzzer end Prism's proxy. */
const ofTheContract = /^(?:accept|authorization|origin)$/u

/** Removes some header fields, and values that Prism's proxy cannot forward. */
const only = (
  headers: Readonly<Record<string, string>>,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => isWanted(name) && /^[\t\x20-\x7e]*$/u.test(value)),
  )

const numberHeader = 'x-recorded'

export async function startReplaying(folder: string, { exchanges }: Recording): Promise<Listening> {
  const give = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = exchanges[Number(request.headers[numberHeader])]
    const body = exchange?.body === undefined ? undefined : await readFile(join(folder, exchange.body))
    response
      .writeHead(
        exchange?.status ?? 599,
        only(exchange?.replyHeaders ?? {}, (name) => !ofTheConnection.test(name)),
      )
      .end(body)
  }
  return listen(createServer((request, response) => void give(request, response)))
}

/** Sends the recorded requests through a proxy in front of the server that sends the recorded responses. */
export async function replay(findings: Findings, proxy: Checking, { exchanges }: Recording): Promise<void> {
  for (const [number, { headers, method, status, url }] of exchanges.entries()) {
    const kept = { ...only(headers, (name) => ofTheContract.test(name)), [numberHeader]: String(number) }
    const call: Call = { method, path: pathOf(url), headers: kept }
    const answer = await findings.through(proxy, 'the suite', call, () => status)
    if (answer?.status === 599) findings.wrong.push(`${proxy.name}: ${method} ${url} did not get its response`)
  }
}
