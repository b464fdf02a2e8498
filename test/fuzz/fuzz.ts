/** Sends batches of conversations to a double, and checks all responses. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { createTemporaryFolder } from '../helpers/files.js'
import { createValidator } from '../helpers/independent-validator.js'
import { plantsSpec } from '../helpers/many-plants.js'
import { featureSpec } from '../helpers/openapi-features.js'
import { checkReplies, checkShape, type Entry, type Had } from './check-conversation.js'
import { bytesOf, type Conversation, converse, makeConversation } from './conversation.js'
import { featureRequests, featureSpecs } from './feature-requests.js'
import { sandboxNames } from './request-targets.js'
import { rawRequests } from './requests.js'
import { roleFixture, roleRequests } from './role-requests.js'
import { watchDouble, type Watched, type WatchedLog } from './watched-double.js'

export const fuzzModes = ['raw', 'roles', 'openapi-3.0', 'openapi-3.1-parameters', 'openapi-3.1-bodies'] as const

export type FuzzMode = (typeof fuzzModes)[number]

export interface FuzzOptions {
  readonly seed: number
  /** The number of the first conversation of the seed. Default 0. */
  readonly from?: number
  readonly count: number
  /** Default: JSON. */
  readonly log?: WatchedLog
  /** The requests to send: raw requests to the package's contract, bodies to a contract with all six roles, or the features of OpenAPI. */
  readonly mode: FuzzMode
  /** True to continue after an error, to find others. */
  readonly lenient?: boolean
  /** Factor of the time limit for a response. Default 1. */
  readonly patience?: number
}

export interface FuzzResult {
  readonly requests: number
  readonly conversations: number
  readonly byStatus: ReadonlyMap<number, number>
  readonly logLines: number
  /** The failed conversations, each with the command that repeats it. */
  readonly failures: readonly string[]
}

/** Number of requests between two checks of the journal, which holds 1,000 of them and 4 MiB. */
const batchSize = 200

/** The number of failed conversations that ends a run. */
const maxFailures = 10_000

const atOnce = 8

/** Starts a double and fuzzes it. @throws {Error} The double ended, or its output has an error. */
export async function fuzz({ count, mode, seed, ...options }: FuzzOptions): Promise<FuzzResult> {
  const { from = 0, lenient = false, log = 'json', patience = 1 } = options
  await using folder = await createTemporaryFolder()
  const { validate, listPath, requests: generated, words } = await prepare(mode, folder.path)
  await using double = await watchDouble(log, words)
  for (const name of sandboxNames) await ask(double, 'POST', '/__admin/sandboxes', { name })
  // The first request loads modules. This must not count in the time of a response.
  await fetch(`${double.url}${listPath}`, { headers: { authorization: 'Bearer ada-token', prefer: 'dynamic=true' } })
  const byStatus = new Map<number, number>()
  const failures: string[] = []
  let requests = 0
  let place = from
  let uptimeMs = 0
  while (requests < count) {
    await restart(double)
    const batch: Conversation[] = []
    for (let size = 0; size < Math.min(batchSize, count - requests); size += batch.at(-1)?.requests.length ?? 1)
      batch.push(makeConversation(seed, place++, generated))
    const had = await haveAll(double.port, batch, patience)
    const entries = await readJournals(double)
    for (const each of had) {
      const problems = [...checkShape(each), ...checkReplies(each, entries, validate)]
      if (problems.length > 0) failures.push(describe(each, problems, log, mode))
      for (const { status } of each.outcome.replies) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    }
    await ensureStateIsReadable(double)
    const health = await ask(double, 'GET', '/__admin/health')
    const now = Number(health['uptimeMs'])
    if (!double.isRunning() || now < uptimeMs)
      throw new Error(`The double ended or restarted after conversation ${place}`)
    uptimeMs = now
    const complaint = double.complaints()
    if (complaint !== '')
      failures.push(`${complaint}\nwithin ${replay(seed, batch[0]?.place ?? 0, batchSize, log, mode)}`)
    requests += batch.reduce((sum, conversation) => sum + conversation.requests.length, 0)
    if (failures.length > (lenient ? maxFailures : 0)) break
  }
  const logLines = await double.stop()
  const complaint = double.complaints()
  if (complaint !== '') failures.push(complaint)
  return { requests, conversations: place - from, byStatus, logLines, failures }
}

async function prepare(mode: FuzzMode, folder: string) {
  if (mode === 'raw') return { validate: createValidator(), listPath: '/insights', requests: rawRequests, words: [] }
  if (mode !== 'roles') {
    const spec = join(folder, `${mode}.json`)
    await writeFile(spec, JSON.stringify(await featureSpec(featureSpecs[mode].version)))
    const words = ['--spec', spec]
    return { validate: createValidator(spec), listPath: '/insights', requests: featureRequests(mode), words }
  }
  const fixture = join(folder, 'plants.json')
  await writeFile(fixture, roleFixture)
  const words = ['--spec', plantsSpec, '--fixture', fixture]
  return { validate: createValidator(plantsSpec), listPath: '/plants', requests: roleRequests, words }
}

/** Sends the double its own state. @throws {Error} The double refuses the state, or has another state afterwards. */
async function ensureStateIsReadable(double: Watched): Promise<void> {
  const state = await ask(double, 'GET', '/__admin/state')
  await ask(double, 'PUT', '/__admin/state', state)
  // `$seed` changes, and `$lastIds` is omitted if it follows from the records.
  const { $lastIds: _lastBefore, $seed: _seedBefore, ...before } = state
  const { $lastIds: _lastAfter, $seed: _seedAfter, ...after } = await ask(double, 'GET', '/__admin/state')
  if (isDeepStrictEqual(after, before)) return
  const [sent, read] = [before, after].map((document) => [document, document['plants']].flat())
  const index = sent?.findIndex((part, at) => at > 0 && !isDeepStrictEqual(part, read?.[at])) ?? -1
  const difference = JSON.stringify([sent?.[index], read?.[index]]).slice(0, 2000)
  throw new Error(`The state differs after it was sent back: ${difference}`)
}

async function haveAll(port: number, batch: readonly Conversation[], patience: number): Promise<readonly Had[]> {
  const waiting = batch.entries()
  const had: Had[] = []
  const work = async (): Promise<void> => {
    for (const [index, conversation] of waiting)
      had[index] = { conversation, outcome: await converse(port, conversation, patience) }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return had
}

async function restart(double: Watched): Promise<void> {
  await ask(double, 'POST', '/__admin/reset')
  for (const name of sandboxNames) await ask(double, 'POST', `/sandboxes/${name}/__admin/reset`)
}

async function readJournals(double: Watched): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  for (const base of ['', ...sandboxNames.map((name) => `/sandboxes/${name}`)]) {
    const listing = await ask(double, 'GET', `${base}/__admin/requests`)
    if (listing['evicted'] !== 0) throw new Error('The journal dropped entries. Reduce batchSize')
    for (const entry of listing['entries'] as readonly Entry[]) entries.set(entry.id, entry)
  }
  return entries
}

async function ask(
  { complaints, isRunning, url }: Watched,
  method: string,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const send = (): Promise<Response> => fetch(`${url}${path}`, { method, ...sent })
  // The double may close an idle connection while the client uses it again. The request can be repeated.
  const reply = await send().catch((error: unknown) => {
    if (!isRunning()) throw new Error(`The double has ended\n${complaints()}`, { cause: error })
    return send()
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path} got ${reply.status} ${text}`)
  return (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
}

const replay = (seed: number, from: number, count: number, log: string, mode: FuzzMode): string =>
  `node build/test/fuzz/main.js --seed ${seed} --from ${from} --count ${count} --log ${log} --mode ${mode}`

/** Replaces long sequences of letters and digits by their length. */
const shorten = (text: string): string =>
  JSON.stringify(text.replaceAll(/[a-z\d%]{200,}/giu, (run) => `<${run.length} of them>`))

function describe({ conversation, outcome }: Had, problems: readonly string[], log: string, mode: FuzzMode): string {
  const { place, requests, seed } = conversation
  const replies = outcome.replies.map(
    ({ headers, status, text }) => `got: ${status} ${JSON.stringify(headers)} ${text.slice(0, 300)}`,
  )
  return [
    ...problems,
    `repeat with: ${replay(seed, place, 1, log, mode)}`,
    `sent: ${shorten(bytesOf(conversation).toString('latin1'))}`,
    `expected: ${requests.map(({ fate }) => fate).join(', ')}; cut at ${conversation.cutAt ?? 'nothing'}; ended by ${outcome.endedBy}`,
    ...replies,
  ].join('\n')
}
