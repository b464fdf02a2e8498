import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, json, type Reply, sendJson } from './helpers/http.js'
import { plantsFixture, plantsSpec } from './helpers/many-plants.js'
import { seededRandom, shuffled } from './helpers/seeded-random.js'

const ids = Array.from({ length: 20 }, (_, index) => `plant-${index + 1}`)
const tries = 10
const attempts = shuffled(
  ids.flatMap((id) => Array.from({ length: tries }, (_, attempt) => ({ id, name: `${id}, attempt ${attempt}` }))),
  seededRandom(3),
)

async function start(t: ExecutionContext, plants: Parameters<typeof plantsFixture>[0]) {
  const state = join(await temporaryFolder(t), 'state.json')
  const fixture = await writeTemporary(t, 'plants.json', plantsFixture(plants))
  const options = { spec: plantsSpec, fixture, state }
  const double = await serve(t, options)
  return {
    double,
    /** Stops the double and starts another on the same state file. */
    restart: async () => {
      await double.stop()
      return serve(t, options)
    },
    /** Reads the records in the state file without the code of the double. */
    onDisk: async () => asList(asObject(JSON.parse(await readFile(state, 'utf8')))['plants']).map(asObject),
  }
}

function send(double: DoubleHandle, method: string, path: string, body: object): Promise<Reply> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return sendJson(double, method, path, body, { ...as('ada'), 'content-type': type })
}

const listing = async (double: DoubleHandle): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  asList(json(await get(double, '/plants', as('ada')))).map(asObject)

test('exactly one of several parallel creates of an id succeeds, and the others get a 409, also after a restart', async (t) => {
  const { double, onDisk, restart } = await start(t, [])
  const answers = await Promise.all(
    attempts.map(async (plant) => ({ ...plant, reply: await send(double, 'POST', '/plants', plant) })),
  )
  t.deepEqual(new Set(answers.map(({ reply }) => reply.status)), new Set([201, 409]))
  const winners: Record<string, string> = {}
  for (const id of ids) {
    const won = answers.filter((each) => each.id === id && each.reply.status === 201)
    t.is(won.length, 1, id)
    winners[id] = won[0]?.name ?? ''
  }
  const namesOf = (records: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(records.map(({ id, name }) => [String(id), name]))
  t.deepEqual(namesOf(await listing(double)), winners)
  t.deepEqual(namesOf(await onDisk()), winners)
  const again = await restart()
  t.deepEqual(namesOf(await listing(again)), winners)
  t.is((await send(again, 'POST', '/plants', { id: ids[0], name: 'Too late' })).status, 409)
})

test('parallel creates without an id get different ids, also after a restart', async (t) => {
  const { double, onDisk, restart } = await start(t, [{ id: 'plant-7', name: 'Seventh' }])
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, index) => send(double, 'POST', '/plants', { name: `New ${index}` })),
  )
  const records = [{ id: 'plant-7', name: 'Seventh' }, ...made.map((reply) => asObject(json(reply)))]
  t.true(made.every(({ status }) => status === 201))
  t.is(new Set(records.map(({ id }) => id)).size, 51)
  const kept = Array.from({ length: 51 }, (_, index) => `plant-${index + 7}`)
  t.deepEqual(pluck(await onDisk(), 'id'), kept)
  const again = await restart()
  t.is((await listing(again)).length, 51)
  t.is(asObject(json(await send(again, 'POST', '/plants', { name: 'Last' })))['id'], 'plant-58')
})

test('exactly one of several parallel deletes of a record succeeds, the others get a 404, and the record is not there after a restart', async (t) => {
  const plants = [...ids, 'stays'].map((id) => ({ id, name: id }))
  const { double, onDisk, restart } = await start(t, plants)
  const answers = await Promise.all(
    attempts.map(async ({ id }) => ({ id, status: (await del(double, `/plants/${id}`, as('ada'))).status })),
  )
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204, 404]))
  for (const id of ids) t.is(answers.filter((each) => each.id === id && each.status === 204).length, 1, id)
  const left = [{ id: 'stays', name: 'stays' }]
  t.deepEqual(await listing(double), left)
  t.deepEqual(await onDisk(), left)
  t.deepEqual(await listing(await restart()), left)
})

test('100 parallel updates of different properties of a record are all saved, also after a restart', async (t) => {
  const plants = ['Monstera', 'Fern'].map((name, index) => ({ id: `plant-${index + 1}`, name }))
  const { double, onDisk, restart } = await start(t, plants)
  const properties = Array.from({ length: 100 }, (_, index) => [`property${index}`, index] as const)
  const answers = await Promise.all(
    properties.map(([name, value]) => send(double, 'PATCH', '/plants/plant-1', { [name]: value })),
  )
  for (const [index, reply] of answers.entries()) {
    t.is(reply.status, 200)
    t.is(asObject(json(reply))[`property${index}`], index)
  }
  const whole = { id: 'plant-1', name: 'Monstera', ...Object.fromEntries(properties) }
  const records = [whole, { id: 'plant-2', name: 'Fern' }]
  t.deepEqual(await listing(double), records)
  t.deepEqual(await onDisk(), records)
  t.deepEqual(json(await get(await restart(), '/plants/plant-1', as('ada'))), whole)
})

test('a replacement and parallel updates have the same result as one after another in some order', async (t) => {
  const { double, onDisk } = await start(t, [{ id: 'plant-1', name: 'Monstera' }])
  const values = Array.from({ length: 20 }, (_, index) => index)
  const answers = await Promise.all([
    ...values.slice(0, 10).map((value) => send(double, 'PATCH', '/plants/plant-1', { [`p${value}`]: value })),
    send(double, 'PUT', '/plants/plant-1', { name: 'Fern' }),
    ...values.slice(10).map((value) => send(double, 'PATCH', '/plants/plant-1', { [`p${value}`]: value })),
  ])
  t.true(answers.every(({ status }) => status === 200))
  const [record] = await onDisk()
  t.is(record?.['name'], 'Fern')
  // Exactly the updates after the replacement remain: their responses have its name.
  const later = answers.filter((reply) => asObject(json(reply))['name'] === 'Fern')
  const longest = later
    .map((reply) => asObject(json(reply)))
    .toSorted((one, other) => Object.keys(other).length - Object.keys(one).length)
  t.deepEqual(record, longest[0])
})
