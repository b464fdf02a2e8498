/** Sends a request exactly as it is, and reads the findings of Prism's proxy. */
import { request } from 'node:http'

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly contentType: string
  /** The violations in the header `sl-violations`. */
  readonly violations: readonly { readonly location: readonly string[]; readonly message: string }[]
}

/** Sends a request exactly as it is, and reads the whole response. */
export function send(base: string, { body, headers, method, path }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(`${base}${path}`, { method, headers: { ...headers, ...length }, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.once('error', reject)
      reply.once('end', () => {
        const listed = reply.headers['sl-violations']
        resolve({
          status: reply.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          contentType: reply.headers['content-type'] ?? '',
          violations: typeof listed === 'string' ? violationsIn(listed) : [],
        })
      })
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

/** Reads the violations. Prism cuts a long list, and writes a text before it. Only responses have so many violations. */
function violationsIn(header: string): Answer['violations'] {
  if (header.startsWith('[')) return JSON.parse(header) as Answer['violations']
  return [{ location: ['response'], message: header }]
}
