/** Takes a large state through everything that writes and reads one, with real processes. */
import { strict as assert } from 'node:assert'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { asList, asObject } from '../helpers/double.js'
import { spawnDouble } from '../helpers/spawned.js'

const ada = { authorization: 'Bearer ada-token' }

/**
 * Loads a fixture, lists, deletes, restarts, takes a snapshot, puts it and starts with it. Says how long each step took.
 *
 * @param folder - An empty one.
 * @param records - How many the fixture has.
 * @throws {AssertionError} Something was lost on the way.
 */
export async function cycle(folder: string, text: string, records: number, say: (line: string) => void): Promise<void> {
  const [fixture, state, snapshot] = ['fixture.json', 'state.json', 'snapshot.json'].map((name) => join(folder, name))
  const kept = ['--state', state ?? '', '--log', 'silent']
  const step = async <T>(name: string, take: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await take()
    say(`${name.padEnd(28)} ${Math.round(performance.now() - started)} ms`)
    return result
  }
  const idsAt = async (url: string): Promise<readonly unknown[]> => {
    const reply = await fetch(`${url}/insights`, { headers: ada })
    assert.equal(reply.status, 200)
    return asList(await reply.json()).map((record) => asObject(record)['id'])
  }
  await writeFile(fixture ?? '', text)
  const expected = Array.from({ length: records }, (_, index) => `record-${index + 1}`)
  {
    await using double = await step('start with the fixture', () =>
      spawnDouble({ words: [...kept, '--fixture', fixture ?? ''] }),
    )
    assert.deepEqual(await step('list', () => idsAt(double.url)), expected)
    for (const id of [expected.shift(), expected.pop()]) {
      const reply = await step('delete', () =>
        fetch(`${double.url}/insights/${id ?? ''}`, { method: 'DELETE', headers: ada }),
      )
      assert.equal(reply.status, 204)
    }
    assert.equal(await double.end('SIGTERM'), 0)
  }
  say(`${'state file'.padEnd(28)} ${((await stat(state ?? '')).size / 1e6).toFixed(1)} MB`)
  {
    await using double = await step('start with the state file', () => spawnDouble({ words: kept }))
    assert.deepEqual(await idsAt(double.url), expected)
    const body = await step('snapshot', async () => (await fetch(`${double.url}/__admin/state`)).text())
    await writeFile(snapshot ?? '', body)
    assert.equal((await fetch(`${double.url}/__admin/reset`, { method: 'POST' })).status, 200)
    const headers = { 'content-type': 'application/json' }
    const reply = await step('put the snapshot', () =>
      fetch(`${double.url}/__admin/state`, { method: 'PUT', headers, body }),
    )
    assert.equal(reply.status, 204, await reply.text())
    assert.deepEqual(await idsAt(double.url), expected)
  }
  await using last = await step('start with the snapshot', () =>
    spawnDouble({ words: ['--memory', '--log', 'silent', '--fixture', snapshot ?? ''] }),
  )
  assert.deepEqual(await idsAt(last.url), expected)
}
