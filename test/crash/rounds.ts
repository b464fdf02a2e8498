/** Kills doubles while clients delete, and holds what is on disk against what clients were told. */
import { readdir, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { asList, asObject } from '../helpers/double.js'
import type { Random } from '../helpers/random.js'
import { shuffled } from '../helpers/random.js'
import type { Spawned } from '../helpers/spawned.js'
import { spawnDouble } from '../helpers/spawned.js'

/** How clients delete, and for how long. */
export interface CrashOptions {
  /** The state file. */
  readonly file: string
  /** The fixture to begin with: a name or a path. Default: `many`, 1,000 insights. */
  readonly fixture?: string
  readonly random: Random
  /** How many delete at a time. */
  readonly clients: number
  /** The double is killed at a moment up to so long after the first delete, milliseconds. */
  readonly killWithinMs: number
}

/** What came of a round. */
export interface Round {
  /** Deletes that were sent, that were answered with 204, and that the file shows. */
  readonly requested: number
  readonly acknowledged: number
  readonly deleted: number
  /** Temporary files that the kill left behind: it fell into a write. */
  readonly leftBehind: number
  /** How long the start took that led to this round, milliseconds. */
  readonly readyMs: number
  /** What should not be. */
  readonly wrong: readonly string[]
}

/** Every insight of the fixture is this caller's to delete, so that the ids of the file are the ids to delete. */
const caller = 'ada'

/** Starts a double, deletes, kills it, and looks. The state file is gone on with from round to round. */
export async function crash({ clients, file, fixture = 'many', killWithinMs, random }: CrashOptions): Promise<Round> {
  const wrong: string[] = []
  await using double = await spawnDouble({
    words: ['--state', file, '--fixture', fixture, '--log', 'silent'],
  })
  const names = await temporaryFiles(file)
  if (names.length > 0) wrong.push(`the start left ${names.join(', ')}`)
  let before = await deletableIn(file)
  if (before.own.length < 300) {
    await fetch(`${double.url}/__admin/reset`, { method: 'POST' })
    before = await deletableIn(file)
  }
  const requested = new Set<string>()
  const acknowledged = new Set<string>()
  const killed = wait(random() * killWithinMs).then(() => double.end('SIGKILL'))
  const refused = await deleteUntilItEnds(double, shuffled(before.own, random), clients, requested, acknowledged)
  wrong.push(...refused)
  await killed
  const after = await deletableIn(file).catch(
    (error: unknown) => void wrong.push(`${file} does not parse: ${String(error)}`),
  )
  const left = new Set(after?.all)
  const deleted = new Set(before.all.filter((id) => !left.has(id)))
  for (const id of acknowledged) if (!deleted.has(id)) wrong.push(`${id} was acknowledged and is on disk`)
  for (const id of deleted) if (!requested.has(id)) wrong.push(`${id} is gone and nobody asked for that`)
  const expected = before.all.filter((id) => left.has(id))
  if (after && expected.join() !== after.all.join()) wrong.push('what is left is not what was, in its order')
  return {
    requested: requested.size,
    acknowledged: acknowledged.size,
    deleted: deleted.size,
    leftBehind: (await temporaryFiles(file)).length,
    readyMs: double.readyMs,
    wrong,
  }
}

/** The ids in a state file, read without the product: all, and those that the caller may delete. */
async function deletableIn(
  file: string,
): Promise<{ readonly all: readonly string[]; readonly own: readonly string[] }> {
  const { $callers: callers, insights } = asObject(JSON.parse(await readFile(file, 'utf8')))
  asObject(asObject(callers)[caller])
  const records = asList(insights).map((record) => {
    const { $access: access, content, id } = asObject(record)
    if (typeof content !== 'string' || typeof id !== 'string')
      throw new TypeError(`${JSON.stringify(record)} is no insight`)
    return { id, isOwn: access === undefined || asList(access).includes(caller) }
  })
  return { all: records.map(({ id }) => id), own: records.filter(({ isOwn }) => isOwn).map(({ id }) => id) }
}

/** Whatever lies beside the state file and belongs to neither it nor its lock. */
async function temporaryFiles(file: string): Promise<readonly string[]> {
  const known = new Set(['', '.holder', '.lock'].map((ending) => `${basename(file)}${ending}`))
  return (await readdir(dirname(file))).filter((name) => !known.has(name))
}

async function deleteUntilItEnds(
  double: Spawned,
  ids: readonly string[],
  clients: number,
  requested: Set<string>,
  acknowledged: Set<string>,
): Promise<readonly string[]> {
  const refused: string[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const queue = ids.values()
  const client = async (): Promise<void> => {
    for (const id of queue) {
      requested.add(id)
      const status = await deleteOne(double, id, agent).catch(() => undefined)
      if (status === undefined) return
      if (status === 204) acknowledged.add(id)
      else refused.push(`DELETE ${id} was answered with ${status}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, client))
    return refused
  } finally {
    agent.destroy()
  }
}

function deleteOne(double: Spawned, id: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${double.url}/insights/${id}`, {
      method: 'DELETE',
      agent,
      headers: { authorization: `Bearer ${caller}-token` },
    })
    sent.on('response', (reply) => {
      reply
        .resume()
        .once('end', () => resolve(reply.statusCode))
        .once('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}
