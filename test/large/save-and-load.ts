import { strict as assert } from 'node:assert'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { asList, asObject } from '../helpers/as-object-or-list.js'

/** Sends a request on a new connection, and reads the complete response. A connection to a stopped process cannot be used. */
async function ask(
  url: string,
  { body, method = 'GET' }: { readonly method?: string; readonly body?: string } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: 'Bearer ada-token', 'content-type': 'application/json', connection: 'close' }
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, text: await response.text() }
}

/** A double of the command line. `await using` ends it. */
export interface StartedDouble extends AsyncDisposable {
  readonly url: string
  /** Stops it as a signal does. @returns The exit code. */
  end(signal: 'SIGTERM'): Promise<number | null>
}

/**
 * Loads a fixture, lists, deletes, restarts, reads the whole state, puts it, and starts with it. Prints the time of each step.
 *
 * @param folder - An empty one.
 * @param records - The number of records of the fixture.
 * @param start - Starts a double with the words of its command.
 * @throws {AssertionError} A record was lost.
 */
export async function cycle(
  folder: string,
  text: string,
  records: number,
  say: (line: string) => void,
  start: (words: readonly string[]) => Promise<StartedDouble>,
): Promise<void> {
  const [fixture, state, snapshot] = ['fixture.json', 'state.json', 'snapshot.json'].map((name) => join(folder, name))
  const kept = ['--state', state ?? '']
  const step = async <T>(name: string, take: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await take()
    say(`${name.padEnd(28)} ${Math.round(performance.now() - started)} ms`)
    return result
  }
  const idsAt = async (url: string): Promise<readonly unknown[]> => {
    const { status, text: listed } = await ask(`${url}/insights`)
    assert.equal(status, 200)
    return asList(JSON.parse(listed)).map((record) => asObject(record)['id'])
  }
  await writeFile(fixture ?? '', text)
  const expected = Array.from({ length: records }, (_, index) => `record-${index + 1}`)
  {
    await using double = await step('start with the fixture', () => start([...kept, '--fixture', fixture ?? '']))
    assert.deepEqual(await step('list', () => idsAt(double.url)), expected)
    for (const id of [expected.shift(), expected.pop()]) {
      const { status } = await step('delete', () => ask(`${double.url}/insights/${id ?? ''}`, { method: 'DELETE' }))
      assert.equal(status, 204)
    }
    assert.equal(await double.end('SIGTERM'), 0)
  }
  say(`${'state file'.padEnd(28)} ${((await stat(state ?? '')).size / 1e6).toFixed(1)} MB`)
  {
    await using double = await step('start with the state file', () => start(kept))
    assert.deepEqual(await idsAt(double.url), expected)
    const { text: body } = await step('snapshot', () => ask(`${double.url}/__admin/state`))
    await writeFile(snapshot ?? '', body)
    assert.equal((await ask(`${double.url}/__admin/reset`, { method: 'POST' })).status, 200)
    const put = await step('put the whole state', () => ask(`${double.url}/__admin/state`, { method: 'PUT', body }))
    assert.equal(put.status, 204, put.text)
    assert.deepEqual(await idsAt(double.url), expected)
  }
  await using last = await step('start with the whole state', () => start(['--memory', '--fixture', snapshot ?? '']))
  assert.deepEqual(await idsAt(last.url), expected)
}
