/** A fast HTTP connection. With it, a benchmark measures the server, not the client. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly mediaType?: string
  /** Default: that of ada. */
  readonly token?: string
}

export interface ReceivedResponse {
  readonly status: number
  readonly body: string
}

/** Sends requests one after the other on one connection. */
export class Connection {
  readonly #socket: Socket
  readonly #host: string
  readonly #received: Buffer[] = []
  /** Of the received part. */
  #length = 0
  /** The length of the response. 0: it is not known. */
  #end = 0
  #resolve: (response: ReceivedResponse) => void = () => {}
  #reject: (error: Error) => void = () => {}
  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('close', () => this.#reject(new Error('the connection was closed')))
    socket.on('error', (error) => this.#reject(error))
  }
  static async open(url: URL): Promise<Connection> {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    await once(socket, 'connect')
    return new Connection(socket, url.host)
  }

  /** Sends a request. @returns The body of the response. @throws {Error} The status is not 2xx. */
  async send(request: SentRequest): Promise<string> {
    const { body, status } = await this.exchange(request)
    if (status < 200 || status > 299) throw new Error(`${request.method} ${request.path}: ${status} ${body}`)
    return body
  }

  /** Sends a request. @throws {Error} The connection ends before the response is complete. */
  exchange({ body, mediaType, method, path, token = 'ada-token' }: SentRequest): Promise<ReceivedResponse> {
    const content =
      body === undefined ? '' : `Content-Type: ${mediaType ?? ''}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAuthorization: Bearer ${token}\r\n${content}`
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'))
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(`${head}\r\n${body ?? ''}`)
    })
  }

  end(): void {
    this.#socket.destroy()
  }
  #receive(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#end) return
    const whole = Buffer.concat(this.#received)
    const start = whole.indexOf('\r\n\r\n')
    if (start === -1) return
    const head = whole.toString('latin1', 0, start)
    this.#end = start + 4 + Number(/^content-length: (\d+)/imu.exec(head)?.[1] ?? 0)
    if (this.#length < this.#end) return
    // A long list is not read: its text would take longer than the request.
    const body = whole.length > mostRead ? '' : whole.toString('utf8', start + 4, this.#end)
    Object.assign(this.#received, { length: 0 })
    this.#length = this.#end = 0
    this.#resolve({ status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), body })
  }
}

const mostRead = 100_000
