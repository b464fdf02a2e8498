/** The format of a recording of the test suite: its requests and responses, and notes about doubles. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment variable that names the folder of the recording. Unset: nothing is recorded. */
export const recordingVariable = 'INSIGHTS_RECORDING'

/** A request to a double of the Insights service, and the response. */
export interface RecordedExchange {
  readonly port: number
  /** The process and the server: ports are used again. */
  readonly server: string
  /** The time at which the request arrived, milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly replyHeaders: Readonly<Record<string, string>>
  /** The file name of the response body. Undefined: the response has no body. */
  readonly body?: string | undefined
}

/** A note about a double: its later responses do not follow the contract of the package. */
export interface RecordedNote {
  readonly port: number
  readonly at: number
  readonly why: string
}

/** Returns the time, the same in all processes, more precise than a millisecond. */
export const recordedNow = (): number => performance.timeOrigin + performance.now()

/** Records that a double does not use the contract of the package. */
export function noteForRecording(url: string, why: string): void {
  const folder = process.env[recordingVariable]
  if (folder === undefined) return
  const note: RecordedNote = { port: Number(new URL(url).port), at: recordedNow(), why }
  appendFileSync(join(folder, `notes-${process.pid}.jsonl`), `${JSON.stringify(note)}\n`)
}
