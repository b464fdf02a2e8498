/** Reads a recording of the test suite, without the exchanges that cannot be compared. */
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import type { RecordedExchange, RecordedNote } from '../helpers/recording-format.js'
import { requestedFault } from '../helpers/validate-responses.js'

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
