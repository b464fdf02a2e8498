/**
 * Streams of server-sent events, one for each client that follows a journal.
 *
 * A stream keeps no events: it reads the next one from the journal when its client has room for it. So a client that does not read
 * costs two buffers of 16 KiB, and is told how many entries it missed where the journal had to drop some before it read on.
 */
import { Readable } from 'node:stream'

import { createError } from '../errors.js'
import type { Journal, JournalEntry } from '../sandbox/journal.js'

/** How many streams a double serves at a time. */
const maxStreams = 100

/** How far a client may be behind, in bytes of events. Beyond it the client is disconnected: 1 MiB. */
const maxBehindBytes = 1024 * 1024

/** How often a stream shows that it is alive, milliseconds. */
const heartbeatMs = 15_000

/** How many bytes a stream reads ahead of its client. */
const bufferBytes = 16 * 1024

const heartbeat = Buffer.from(': still here\n\n')

/** The bytes of an entry's event, the same for every client. */
const eventBytes = new WeakMap<JournalEntry, Buffer>()

/** The event streams of a double. */
export class EventStreams {
  readonly #open = new Set<EventStream>()

  /**
   * Opens a stream of what a journal records.
   *
   * @param lastEventId - Begins after the entry with this id. Default: begins with the next entry that is recorded.
   * @throws {DoubleError} `too_many_event_streams`.
   */
  open(journal: Journal, lastEventId?: string): EventStream {
    if (this.#open.size >= maxStreams) throw createError('too_many_event_streams', { maxStreams })
    const stream = new EventStream(journal, lastEventId, () => this.#open.delete(stream))
    this.#open.add(stream)
    return stream
  }
}

/** The events of one journal, for one client. */
class EventStream extends Readable {
  readonly #journal: Journal
  readonly #release: () => void
  /** The number of the last entry that was sent. */
  #sent: number
  /** Bytes of events that were recorded since the client last had room. */
  #behindBytes = 0
  /** Whether the client has room, and there was nothing to send. */
  #isWaiting = false

  constructor(journal: Journal, lastEventId: string | undefined, onRelease: () => void) {
    super({ highWaterMark: bufferBytes })
    this.#journal = journal
    this.#sent = lastEventId === undefined ? journal.newest : journal.numberOf(lastEventId)
    this.push(': the journal, as it is written\n\n')
    if (lastEventId !== undefined && this.#sent === 0) {
      this.#sent = journal.dropped
      this.push(missedBytes(journal.dropped))
    }
    const timer = setInterval(() => {
      if (this.#isWaiting) this.#send(heartbeat)
    }, heartbeatMs)
    const stopListening = journal.listen((entry) => this.#onEntry(entry))
    this.#release = () => {
      clearInterval(timer)
      stopListening()
      onRelease()
    }
  }

  /** Ends the stream. A client that does not read what there is for it is disconnected. */
  end(): void {
    this.#release()
    if (this.readableFlowing === false) this.destroy()
    else this.push(null)
  }

  override _read(): void {
    this.#behindBytes = 0
    this.#sendNext()
  }

  #sendNext(): void {
    const next = this.#journal.next(this.#sent)
    this.#isWaiting = next === undefined
    if (!next) return
    this.#sent = next.number
    const bytes = bytesOf(next.entry)
    this.#send(next.missed > 0 ? Buffer.concat([missedBytes(next.missed), bytes]) : bytes)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release()
    callback(error)
  }

  #onEntry(entry: JournalEntry): void {
    if (this.#isWaiting) {
      this.#sendNext()
      return
    }
    this.#behindBytes += bytesOf(entry).length
    if (this.#behindBytes > maxBehindBytes) this.destroy()
  }

  #send(bytes: Buffer): void {
    this.#isWaiting = false
    this.push(bytes)
  }
}

/** The bytes of the event that tells how many entries the client cannot get any more. */
const missedBytes = (count: number): Buffer => Buffer.from(`event: missed\ndata: ${JSON.stringify({ count })}\n\n`)

function bytesOf(entry: JournalEntry): Buffer {
  const known = eventBytes.get(entry)
  if (known) return known
  const { id, operation, status, verdict } = entry
  const data = JSON.stringify({ id, operation, status, verdict })
  const bytes = Buffer.from(`id: ${id}\nevent: exchange\ndata: ${data}\n\n`)
  eventBytes.set(entry, bytes)
  return bytes
}
