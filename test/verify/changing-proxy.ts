/** A proxy that changes the responses of a service. */
import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { ExecutionContext } from 'ava'

export interface ProxiedResponse {
  /** 0 closes the connection without a response. */
  status: number
  headers: Record<string, string | readonly string[] | undefined>
  text: string
}

/** Starts a proxy in front of a service. It stops with the test. @returns Its URL. */
export async function serveProxy(
  t: ExecutionContext,
  url: string,
  change: (response: ProxiedResponse, method: string) => void,
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { headers, method = '', url: target } = incoming
    const forwarded = send(url + (target ?? ''), { method, headers, agent: false }, (received) => {
      const chunks: Buffer[] = []
      received.on('data', (chunk: Buffer) => chunks.push(chunk))
      received.on('end', () => {
        const {
          'content-length': _length,
          'transfer-encoding': _encoding,
          connection: _connection,
          ...rest
        } = received.headers
        const response = { status: received.statusCode ?? 0, headers: rest, text: Buffer.concat(chunks).toString() }
        change(response, method)
        if (response.status === 0) {
          outgoing.destroy()
          return
        }
        outgoing.writeHead(response.status, response.headers as Record<string, string>)
        outgoing.end(response.status === 204 || method === 'HEAD' ? undefined : response.text)
      })
    })
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
