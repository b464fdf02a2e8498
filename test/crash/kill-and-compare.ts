/** Kills doubles while clients use all six roles, and compares the state file with the responses that clients received. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import { asList, asObject } from '../helpers/as-object-or-list.js'
import { plantsSpec } from '../helpers/many-plants.js'
import { type Random, seededRandom } from '../helpers/seeded-random.js'
import { spawnDouble } from '../helpers/spawn-double.js'
import { type Counts, CrashClient, type Document, type InFlight, sharedId, usedRoles } from './crash-client.js'

export interface CrashOptions {
  readonly file: string
  /** The path of the initial fixture. It must have a plant with the id `shared`. */
  readonly fixture: string
  readonly random: Random
  readonly clients: number
  /** The double is killed at a random response: one of this number, counted from the response after which every role was acknowledged. */
  readonly killWithin: number
  /** Unique in the life of the state file. */
  readonly round: number
}

/** The longest time from the chosen response to the kill, milliseconds: about the time of a write, so that kills happen during writes. */
const longestPauseMs = 20

/** The number of responses after which the double is killed although not every role was acknowledged. */
const mostResponses = 1000

export interface Round {
  readonly counts: ReadonlyMap<string, Counts>
  /** Changes that were not acknowledged: those that are in the file, and those that are not. */
  readonly kept: number
  readonly lost: number
  readonly wrong: readonly string[]
}

/** Starts a double, sends requests from all clients, kills it, and compares. Each round continues with the same state file. */
export async function crash(options: CrashOptions): Promise<Round> {
  const { clients: count, file, fixture, killWithin, random, round } = options
  const wrong: string[] = []
  const words = ['--spec', plantsSpec, '--state', file, '--fixture', fixture, '--log', 'silent']
  await using double = await spawnDouble({ words })
  const names = await temporaryFiles(file)
  if (names.length > 0) wrong.push(`the start left ${names.join(', ')}`)
  const before = await readRecords(file)
  const ids = [...before.keys()].filter((id) => id !== sharedId)
  const pauseMs = random() * longestPauseMs
  let further = Math.floor(random() * killWithin)
  let responses = 0
  let killed: Promise<unknown> | undefined
  const kill = async (): Promise<void> => {
    await wait(pauseMs)
    await double.end('SIGKILL')
  }
  const onResponse = (): void => {
    const isDue = ++responses >= mostResponses || areAllAcknowledged(sumCounts(clients))
    if (isDue && further-- === 0) killed = kill()
  }
  const clients = Array.from({ length: count }, (_, index) => {
    const own = ids.filter((_id, at) => at % count === index).map((id) => [id, before.get(id) ?? {}] as const)
    const labels = { name: `r${round}-c${index}`, property: `client${index}` }
    const itsRandom = seededRandom(Math.floor(random() * 2 ** 32))
    return new CrashClient({ url: double.url, ...labels, random: itsRandom, own: new Map(own), onResponse })
  })
  const owned = clients.map((client) => client.own)
  await Promise.all(clients.map((client) => client.run()))
  if (!killed) wrong.push('the double ended before it was killed')
  await killed
  wrong.push(...clients.flatMap((client) => client.wrong))
  const after = await readRecords(file).catch((error: unknown) => {
    wrong.push(`${file} does not parse: ${String(error)}`)
    return new Map<string, Document>()
  })
  wrong.push(...compareShared(before.get(sharedId), after.get(sharedId), clients))
  const found = new Map(after)
  found.delete(sharedId)
  const expected = new Map(owned.flatMap((own) => [...own]))
  const changes = clients.flatMap(({ inFlight }) => inFlight ?? [])
  const kept = changes.filter((change) => takeOver(change, found, expected)).length
  for (const [id, record] of expected)
    if (!isDeepStrictEqual(found.get(id), record))
      wrong.push(`${id} is ${JSON.stringify(found.get(id))}, but ${JSON.stringify(record)} was acknowledged`)
  for (const id of found.keys())
    if (!expected.has(id)) wrong.push(`${id} is in the file, but no response acknowledged it`)
  const left = [...before.keys()].filter((id) => after.has(id))
  if (!isDeepStrictEqual([...after.keys()].slice(0, left.length), left))
    wrong.push('the earlier records are not first, in their order')
  return { counts: sumCounts(clients), kept, lost: changes.length - kept, wrong }
}

/** The records of a state file by id, read without the double's code. */
async function readRecords(file: string): Promise<ReadonlyMap<string, Document>> {
  const records = asList(asObject(JSON.parse(await readFile(file, 'utf8')))['plants']).map(asObject)
  return new Map(records.map((record) => [String(record['id']), record]))
}

/** Names in the folder of the state file that belong to neither the file nor its lock. */
async function temporaryFiles(file: string): Promise<readonly string[]> {
  const known = new Set(['', '.holder', '.lock'].map((ending) => `${basename(file)}${ending}`))
  return (await readdir(dirname(file))).filter((name) => !known.has(name))
}

/** Adds an unacknowledged change to the expected records if the file has all of it. @returns True if the file has it. */
function takeOver(
  { after, before, id }: InFlight,
  found: ReadonlyMap<string, Document>,
  expected: Map<string, Document>,
): boolean {
  if (before && id !== undefined) {
    const isChanged = isDeepStrictEqual(found.get(id), after)
    if (isChanged && after) expected.set(id, after)
    else if (isChanged) expected.delete(id)
    return isChanged
  }
  // The client does not know the values that the double fills in.
  for (const [key, record] of found) {
    const { createdAt, id: made, ...rest } = record
    const isWhole = typeof createdAt === 'string' && typeof made === 'string'
    const shown = id === undefined ? rest : { id: made, ...rest }
    if (!isWhole || !isDeepStrictEqual(shown, after)) continue
    expected.set(key, record)
    return true
  }
  return false
}

/** Checks that each property of the shared record has the last acknowledged value, or the value that was sent last. */
const compareShared = (
  before: Document | undefined,
  after: Document | undefined,
  clients: readonly CrashClient[],
): readonly string[] =>
  clients.flatMap(({ property, shared, sharedSent }) => {
    const allowed = [shared ?? before?.[property], ...(sharedSent === undefined ? [] : [sharedSent])]
    return allowed.includes(after?.[property])
      ? []
      : [`${property} of the shared record is ${String(after?.[property])}, allowed are ${allowed.join(', ')}`]
  })

const areAllAcknowledged = (counts: ReadonlyMap<string, Counts>): boolean =>
  usedRoles.every((role) => (counts.get(role)?.acknowledged ?? 0) > 0)

function sumCounts(clients: readonly CrashClient[]): ReadonlyMap<string, Counts> {
  const sums = new Map<string, Counts>()
  for (const { counts } of clients)
    for (const [role, { acknowledged, refused, sent }] of counts) {
      const sum = sums.get(role) ?? { sent: 0, acknowledged: 0, refused: 0 }
      sums.set(role, {
        sent: sum.sent + sent,
        acknowledged: sum.acknowledged + acknowledged,
        refused: sum.refused + refused,
      })
    }
  return sums
}
