import { createServer, request as send } from 'node:http'

import type { ExecutionContext } from 'ava'

import { listenUntilEnd } from '../helpers/port.js'

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
        const { 'content-length': _1, 'transfer-encoding': _2, connection: _3, ...rest } = received.headers
        const response = { status: received.statusCode ?? 0, headers: rest, text: Buffer.concat(chunks).toString() }
        change(response, method)
        if (response.status === 0) outgoing.destroy()
        else outgoing.writeHead(response.status, response.headers as Record<string, string>)
        outgoing.end(response.status === 204 || method === 'HEAD' ? undefined : response.text)
      })
    })
    incoming.pipe(forwarded)
  })
  return listenUntilEnd(t, server)
}
