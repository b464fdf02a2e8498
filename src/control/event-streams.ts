/**
 * Server-sent events: one stream for each client that follows a journal. It keeps no events, but reads the next entry from the journal when its
 * client can receive it: so a client that does not read uses two buffers of 16 KiB. `missed` counts the entries that were dropped meanwhile.
 */
import { Readable } from 'node:stream'

import { createError } from '../http-errors.js'
import { onceForObject } from '../once.js'
import type { RecordedRequest } from '../sandbox/journal-entry.js'
import type { Journal } from '../sandbox/journal.js'

const maxStreams = 100

/** The most bytes of unsent events, 1 MiB. A client with more is disconnected. */
const maxUnsentBytes = 1024 * 1024

const heartbeatMs = 15_000

const bufferBytes = 16 * 1024

const heartbeat = Buffer.from(': still here\n\n')

export class EventStreams {
  readonly #open = new Set<EventStream>()

  /** @param lastEventId - Sends the entries after this id. Default: only new ones. @throws {DoubleError} `too_many_event_streams`: 100 are open. */
  open(journal: Journal, lastEventId?: string, changes = false): EventStream {
    if (this.#open.size >= maxStreams) throw createError('too_many_event_streams', { maxStreams })
    const stream = new EventStream(journal, lastEventId, changes, () => this.#open.delete(stream))
    this.#open.add(stream)
    return stream
  }

  /** Sends the name of an operation of the control plane that has changed something. @param journal - Only to its streams. Undefined: to all. */
  announce(operation: string, journal: Journal | undefined): void {
    for (const stream of this.#open) if (journal === undefined || stream.journal === journal) stream.announce(operation)
  }
}

class EventStream extends Readable {
  readonly journal: Journal
  readonly #announces: boolean
  readonly #release: () => void
  /** The number of the last sent entry. */
  #sent: number
  #unsentBytes = 0
  /** Operations of the control plane that are not announced yet, each once. */
  readonly #unannounced = new Set<string>()
  /** True if the client can receive an event and there was none to send. */
  #isWaiting = false

  /** @param announces - True if it announces operations of the control plane. */
  constructor(journal: Journal, lastEventId: string | undefined, announces: boolean, onRelease: () => void) {
    super({ highWaterMark: bufferBytes })
    this.journal = journal
    this.#announces = announces
    this.#sent = lastEventId === undefined ? journal.newest : journal.numberOf(lastEventId)
    this.push(': the entries of the journal\n\n')
    if (lastEventId !== undefined && this.#sent === 0) {
      this.#sent = journal.dropped
      this.push(encodeEvent('missed', { count: journal.dropped }))
    }
    const timer = setInterval(() => {
      if (this.#isWaiting) this.#send(heartbeat)
    }, heartbeatMs)
    const stopListening = journal.listen((recorded) => {
      if (this.#isWaiting) return this.#sendNext()
      this.#unsentBytes += encodeEntry(recorded).length
      if (this.#unsentBytes > maxUnsentBytes) this.destroy()
    })
    this.#release = () => {
      clearInterval(timer)
      stopListening()
      onRelease()
    }
  }

  end(): void {
    this.#release()
    if (this.readableFlowing === false) this.destroy()
    else this.push(null)
  }

  announce(operation: string): void {
    if (!this.#announces) return
    this.#unannounced.add(operation)
    if (this.#isWaiting) this.#sendNext()
  }

  override _read(): void {
    this.#unsentBytes = 0
    this.#sendNext()
  }

  #sendNext(): void {
    const [operation] = this.#unannounced
    if (operation !== undefined) {
      this.#unannounced.delete(operation)
      return this.#send(encodeEvent('change', { operation }))
    }
    const next = this.journal.next(this.#sent)
    this.#isWaiting = next === undefined
    if (!next) return
    this.#sent = next.number
    const bytes = encodeEntry(next.recorded)
    this.#send(next.missed > 0 ? Buffer.concat([encodeEvent('missed', { count: next.missed }), bytes]) : bytes)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release()
    callback(error)
  }

  #send(bytes: Buffer): void {
    this.#isWaiting = false
    this.push(bytes)
  }
}

/** Creates an event without an id: of what the journal does not contain. */
const encodeEvent = (name: 'change' | 'missed', data: object): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** Returns the bytes of the event of an entry. All clients share them. */
const encodeEntry = onceForObject(({ common: { operation, status, verdict }, id }: RecordedRequest): Buffer =>
  Buffer.from(`id: ${id}\nevent: exchange\ndata: ${JSON.stringify({ id, operation, status, verdict })}\n\n`),
)
