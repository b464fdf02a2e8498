/** A client that creates, reads, lists, updates, replaces and removes its own records, one request after the other, and counts the results. */
import { isDeepStrictEqual } from 'node:util'

import { asList, asObject, type JsonObject } from '../helpers/as-object-or-list.js'
import { Connection } from '../helpers/connection.js'
import type { Random } from '../helpers/seeded-random.js'

/** The record that all clients update. Each client updates another property. */
export const sharedId = 'shared'

export const usedRoles = ['create', 'read', 'list', 'update', 'replace', 'remove'] as const

export type Document = JsonObject

/** A change that was sent and not acknowledged. It may be in the file or not. */
export interface InFlight {
  /** Undefined: the double creates the id, and the record is found by its name. */
  readonly id: string | undefined
  /** The record without the change. Undefined: there is none. */
  readonly before: Document | undefined
  /** The record with the change. Undefined: there is none. A created one has only the properties that the client knows. */
  readonly after: Document | undefined
}

/** The number of requests that were sent and answered. */
export interface Counts {
  sent: number
  acknowledged: number
  refused: number
}

export interface ClientOptions {
  readonly url: string
  /** Unique in the life of the state file: part of the names and ids that the client makes. */
  readonly name: string
  readonly random: Random
  /** The records that this client alone changes, by id. Kept up to date. */
  readonly own: Map<string, Document>
  /** The property of the shared record that this client alone changes. */
  readonly property: string
  /** Called after each response was counted. */
  readonly onResponse: () => void
}

const about = 'It stands by the window and is watered on Mondays. '.repeat(5)
const caller = { $access: ['ada'] }

export class CrashClient {
  readonly counts = new Map<string, Counts>()
  readonly wrong: string[] = []
  /** Undefined: the last request was answered, or was a read. */
  inFlight: InFlight | undefined
  /** The last acknowledged value of the property of the shared record. Undefined: none was. */
  shared: number | undefined
  /** The value of that property in an update that was not answered. */
  sharedSent: number | undefined
  readonly #options: ClientOptions
  #serial: number
  constructor(options: ClientOptions) {
    this.#options = options
    // Values of the shared record must differ from those of earlier rounds.
    this.#serial = Math.floor(options.random() * 5000)
  }
  get own(): ReadonlyMap<string, Document> {
    return this.#options.own
  }
  get property(): string {
    return this.#options.property
  }

  /** Sends requests until the double has ended. */
  async run(): Promise<void> {
    const steps = [this.#create, this.#create, this.#read, this.#list, this.#update, this.#updateShared, this.#replace]
    const all = [...steps, this.#remove, this.#remove, this.#refusedCreate, this.#refusedUpdate, this.#refusedRemove]
    const connection = await Connection.open(new URL(this.#options.url)).catch(() => undefined)
    if (!connection) return
    for (;;) {
      const step = all[Math.floor(this.#options.random() * all.length)] ?? this.#create
      try {
        await step.call(this, connection)
      } catch {
        connection.end()
        return
      }
    }
  }
  async #send(
    connection: Connection,
    role: string,
    [method, path, body]: readonly [method: string, path: string, body?: JsonObject],
    inFlight?: InFlight,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const counts = this.counts.get(role) ?? { sent: 0, acknowledged: 0, refused: 0 }
    this.counts.set(role, counts)
    this.inFlight = inFlight
    counts.sent++
    const mediaType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const content = body === undefined ? {} : { body: JSON.stringify(body), mediaType }
    const answer = await connection.exchange({ method, path, ...content })
    this.inFlight = undefined
    if (answer.status < 400) counts.acknowledged++
    else counts.refused++
    this.#options.onResponse()
    return { status: answer.status, body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown) }
  }

  #expect(what: string, found: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(found, wanted))
      this.wrong.push(`${what}: got ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`)
  }

  #fresh(): JsonObject {
    this.#serial++
    return { name: `${this.#options.name} ${this.#serial}`, room: 'hall', heightCm: this.#serial, about }
  }

  #pick(): readonly [id: string, record: Document] | undefined {
    const ids = [...this.#options.own.keys()]
    const id = ids[Math.floor(this.#options.random() * ids.length)]
    const record = id === undefined ? undefined : this.#options.own.get(id)
    return id === undefined || !record ? undefined : [id, record]
  }

  async #create(connection: Connection): Promise<void> {
    const sent = this.#fresh()
    const chosen = this.#options.random() < 0.5 ? { id: `${this.#options.name}-${this.#serial}` } : {}
    const after = { ...chosen, ...sent, ...caller }
    const change = { id: chosen.id, before: undefined, after }
    const { body, status } = await this.#send(connection, 'create', ['POST', '/plants', { ...chosen, ...sent }], change)
    this.#expect('status of a create', status, 201)
    const { createdAt, id, ...shown } = asObject(body)
    this.#expect('a created record', { ...shown, ...(chosen.id === undefined ? {} : { id }) }, { ...chosen, ...sent })
    this.#options.own.set(String(id), { id, createdAt, ...shown, ...caller })
  }

  async #read(connection: Connection): Promise<void> {
    const [id, record] = this.#pick() ?? []
    if (id === undefined) return
    const { body } = await this.#send(connection, 'read', ['GET', `/plants/${id}`])
    const { $access: _access, ...shown } = record ?? {}
    this.#expect(`read of ${id}`, body, shown)
  }

  async #list(connection: Connection): Promise<void> {
    const { body, status } = await this.#send(connection, 'list', ['GET', '/plants?room=hall&limit=3&page=1'])
    this.#expect('status of a listing', status, 200)
    for (const record of asList(body)) this.#expect('room of a listed record', asObject(record)['room'], 'hall')
  }
  async #change(connection: Connection, role: string, method: string, body: JsonObject): Promise<void> {
    const [id, before] = this.#pick() ?? []
    if (id === undefined || !before) return
    const { $access: access, createdAt } = before
    const kept = method === 'PUT' ? { id, ...(createdAt === undefined ? {} : { createdAt }) } : before
    const after = { ...kept, ...body, ...(access === undefined ? {} : { $access: access }) }
    const { status } = await this.#send(connection, role, [method, `/plants/${id}`, body], { id, before, after })
    this.#expect(`status of ${method} ${id}`, status, 200)
    this.#options.own.set(id, after)
  }

  async #update(connection: Connection): Promise<void> {
    const { heightCm, name } = this.#fresh()
    await this.#change(connection, 'update', 'PATCH', this.#options.random() < 0.5 ? { heightCm } : { name })
  }
  async #updateShared(connection: Connection): Promise<void> {
    const value = ++this.#serial
    const { property } = this.#options
    this.sharedSent = value
    const change = { [property]: value }
    const { body, status } = await this.#send(connection, 'update', ['PATCH', `/plants/${sharedId}`, change])
    this.#expect('status of an update of the shared record', status, 200)
    this.#expect('the shared record', asObject(body)[property], value)
    this.shared = value
    this.sharedSent = undefined
  }

  async #replace(connection: Connection): Promise<void> {
    await this.#change(connection, 'replace', 'PUT', this.#fresh())
  }

  async #remove(connection: Connection): Promise<void> {
    const [id, before] = this.#pick() ?? []
    if (id === undefined) return
    const removal = { id, before, after: undefined }
    const { status } = await this.#send(connection, 'remove', ['DELETE', `/plants/${id}`], removal)
    this.#expect(`status of DELETE ${id}`, status, 204)
    this.#options.own.delete(id)
  }

  async #refusedCreate(connection: Connection): Promise<void> {
    const [id] = this.#pick() ?? []
    if (id === undefined) return
    const { status } = await this.#send(connection, 'create', ['POST', '/plants', { id, ...this.#fresh() }])
    this.#expect(`status of a create with the existing id ${id}`, status, 409)
  }

  async #refusedUpdate(connection: Connection): Promise<void> {
    const [id] = this.#pick() ?? []
    if (id === undefined) return
    const { status } = await this.#send(connection, 'update', ['PATCH', `/plants/${id}`, { name: 'no', heightCm: -1 }])
    this.#expect('status of an update that breaks the schema', status, 400)
  }

  async #refusedRemove(connection: Connection): Promise<void> {
    const { status } = await this.#send(connection, 'remove', ['DELETE', `/plants/never-${this.#serial}`])
    this.#expect('status of a remove of an unknown record', status, 404)
  }
}
