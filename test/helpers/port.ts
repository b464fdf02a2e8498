/** Free ports, and servers on them. */
import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'

import type { ExecutionContext } from 'ava'

import { succeeds } from './until.js'

export interface Listening extends AsyncDisposable {
  readonly url: string
}

export async function listen(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    if (server instanceof HttpServer) server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: stop }
}

/** Does the same until the end of the test. @returns The URL. */
export async function listenUntilEnd(t: ExecutionContext, server: Server): Promise<string> {
  const listening = await listen(server)
  t.teardown(() => listening[Symbol.asyncDispose]())
  return listening.url
}

/** Below the ports that the system assigns, so that no other process is assigned the same port meanwhile. */
const [lowest, highest] = [10_000, 32_000]

/** Returns a port that no process listens on, for a program that cannot choose one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = createServer()
    server.listen(port, '127.0.0.1')
    const isFree = await succeeds(once(server, 'listening'))
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
