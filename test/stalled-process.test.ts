import { once } from 'node:events'
import type { Socket } from 'node:net'

import test, { type ExecutionContext } from 'ava'

import { as, connectTo, get, wire } from './helpers/http.js'
import { spawnDouble } from './helpers/spawn-double.js'

/** Longer than any time limit of a request, milliseconds. */
const stallMs = 11_000

/** Code that is loaded into a double: at SIGUSR2 it blocks the process for a while. */
const stall = `import { writeSync } from 'node:fs'
process.on('SIGUSR2', () => {
  writeSync(1, 'stalls\\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${stallMs})
  writeSync(1, 'runs on\\n')
})`

const credential = 'Authorization: Bearer ada-token'
const listing = wire('GET /insights', [credential])
const json = 'Content-Type: application/json'
const reset = '{"fixture":"default"}'
const resetting = wire('POST /__admin/reset', [json, `Content-Length: ${reset.length}`], reset)
const state = '{"$callers":{"ada":{"token":"ada-token"}},"insights":[{"id":"late","content":"Moss."}]}'
const putting = wire('PUT /__admin/state', [json, `Content-Length: ${state.length}`], state)

/** A request, the number of its bytes that are sent before the stall, and the expected statuses. The rest is sent during the stall or after it. */
const sendings: readonly (readonly [title: string, request: string, sent: number, ...statuses: number[]])[] = [
  ['nothing of it was sent', listing, 0, 200],
  ['half of its header was sent', listing, 10, 200],
  ['half of its header was sent behind another request', listing + listing, listing.length + 10, 200, 200],
  ['half of its header was sent, and none of its body', resetting, 10, 200],
  ['its header was sent', resetting, resetting.length - reset.length, 200],
  ['half of its body was sent', resetting, resetting.length - 3, 200],
  ['half of a whole state was sent', putting, putting.length - 3, 204],
  ['its header is incomplete', listing.slice(0, 10), 10, 408],
  ['its body is incomplete', resetting.slice(0, -3), 10, 408],
]

async function open(t: ExecutionContext, url: string): Promise<Socket> {
  const socket = connectTo({ url })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Writes, and waits until the system has the bytes. */
const send = (socket: Socket, text: string): Promise<void> =>
  new Promise((resolve) => void socket.write(text, () => resolve()))

/** Reads until a number of status lines has arrived. */
async function readStatuses(socket: Socket, count: number): Promise<readonly number[]> {
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map(([, status]) => Number(status))
    if (found.length >= count) return found
  }
  throw new Error(`The connection was closed after ${text}`)
}

for (const moment of ['during the stall', 'after the stall'] as const)
  test(`a double that was blocked for longer than any time limit refuses only requests that stay incomplete, and the others are completed ${moment}`, async (t) => {
    await using double = await spawnDouble({
      words: ['--memory', '--log', 'silent'],
      nodeArguments: [`--import=data:text/javascript,${encodeURIComponent(stall)}`],
    })
    const until = async (word: string): Promise<void> => {
      while (!double.printed().includes(word)) await new Promise((resolve) => void setTimeout(resolve, 5))
    }
    // The first requests take longest, so they are sent before the time limit of a header matters.
    for (const path of ['/insights', '/__admin/health']) t.is((await get(double, path, as('ada'))).status, 200)
    const opened = await Promise.all(sendings.map(async (sending) => [await open(t, double.url), ...sending] as const))
    await Promise.all(opened.map(([socket, , request, sent]) => send(socket, request.slice(0, sent))))
    // A response to a later request shows that the double has read all of that.
    t.is((await get(double, '/insights', as('ada'))).status, 200)
    double.signal('SIGUSR2')
    await until(moment === 'after the stall' ? 'runs on' : 'stalls')
    const answered = opened.map(async ([socket, title, request, sent, ...statuses]) => {
      await send(socket, request.slice(sent))
      t.deepEqual(await readStatuses(socket, statuses.length), statuses, title)
    })
    await Promise.all(answered)
    t.deepEqual(double.printed().match(/stalls|runs on/gu), ['stalls', 'runs on'])
  })
