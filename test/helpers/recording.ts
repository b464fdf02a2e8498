/** Records the traffic of the suite in files. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment variable that names the folder to record to. Unset: nobody records. */
export const recordingVariable = 'INSIGHTS_RECORDING'

/** An exchange of the Insights service, as a double saw it. */
export interface RecordedExchange {
  /** Of the double, on this machine. */
  readonly port: number
  /** The process and the server: ports are used again. */
  readonly server: string
  /** The time of arrival, milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** The request target as received. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly replyHeaders: Readonly<Record<string, string>>
  /** The name of the file with the reply's body, in the folder. Undefined: it has none. */
  readonly body?: string | undefined
}

/** A word on a double: from here on its replies are not by the contract of the package. */
export interface RecordedNote {
  readonly port: number
  readonly at: number
  readonly why: string
}

/** The time by a clock that all processes share, finer than a millisecond. */
export const recordedNow = (): number => performance.timeOrigin + performance.now()

/** Notes that a double does not use the contract of the package, for the recording. */
export function noteForRecording(url: string, why: string): void {
  const folder = process.env[recordingVariable]
  if (folder === undefined) return
  const note: RecordedNote = { port: Number(new URL(url).port), at: recordedNow(), why }
  appendFileSync(join(folder, `notes-${process.pid}.jsonl`), `${JSON.stringify(note)}\n`)
}
