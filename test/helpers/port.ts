/** Finds free ports for programs that cannot choose one. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the system assigns, so that no other process is assigned the same port meanwhile. */
const [lowest, highest] = [10_000, 32_000]

/** Returns a port that no process listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = createServer()
    server.listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
