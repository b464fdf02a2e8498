import { decodePercent } from '../addresses.js'
import { isJson } from '../contract/media-types.js'
import type { Violation } from '../contract/violation.js'
import type { JsonObject } from '../documents/object.js'
import { jsonIn, maxDocumentDepth, measureJson } from '../documents/parse-json.js'
import type { RecordsChanged } from '../resources/records/diff-types.js'

/** The summary of a request, without header fields and bodies. */
export interface RequestSummary {
  /** The response's `x-request-id`. */
  readonly id: string
  /** Time of arrival, RFC 3339. */
  readonly time: string
  /** The sandbox's name. */
  readonly sandbox: string
  readonly method: string
  /** The request target as received, at most 2,048 characters. Secrets are redacted. */
  readonly url: string
  /** The operationId. Null if no operation of the contract matches. */
  readonly operation: string | null
  /** The caller's name. Null if there is none. */
  readonly caller: string | null
  /** The response's status. Null if no response was sent. */
  readonly status: number | null
  /** Time from the arrival of the request until the response is ready, milliseconds. */
  readonly durationMs: number
  /** `violation` if the request or the response breaks the contract. Warnings do not count. */
  readonly verdict: 'ok' | 'violation'
  readonly violations: readonly Violation[]
  /** The id of the injected fault. */
  readonly fault: string | null
  /** The applied preferences, as in `Preference-Applied`. */
  readonly preference: string | null
  /** An explanation that the response does not contain. */
  readonly note: string | null
  /** The units that have varied the response. Missing: none. */
  readonly variations?: readonly string[]
  /** `agrees`: the real service was seen to answer in this way. `differs`: in another way. `none`: nothing like it was seen. Missing: no evidence is given. */
  readonly evidence?: 'agrees' | 'differs' | 'none'
}

/** The part of a summary that is the same for equal requests with equal responses. */
export type CommonSummary = Omit<RequestSummary, 'durationMs' | 'id' | 'time'>

/** A recorded request with its response. */
export interface JournalEntry extends RequestSummary {
  /** Header fields by lower-case name. Secrets are redacted. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /**
   * The body: the parsed JSON, or the text if it is not JSON or was cut. Secrets are redacted. A body that cannot be decoded and may have a
   * secret is `[redacted: 20 bytes of application/xml]`. Null if there was none, or if the operation takes none.
   */
  readonly requestBody: unknown
  /** Header fields by lower-case name, without those that Node adds, such as `date`. Empty if no response was sent. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The body, like `requestBody`. Null if there was none. */
  readonly responseBody: unknown
  /** The properties that were cut: `url` at 2,048 characters, the bodies at 16 KiB. */
  readonly truncated: readonly ('url' | 'requestBody' | 'responseBody')[]
  /** The records that the request has changed, by collection, like `requestBody`. Missing: none. */
  readonly changes?: Readonly<Record<string, RecordsChanged>>
  /** For each violation the rule that is broken, where one request is described. Missing: elsewhere, or no operation matches the request. */
  readonly rules?: readonly BrokenRule[]
}

/** A rule of the contract that a request or a response breaks. */
export interface BrokenRule {
  readonly file: string
  readonly line: number
  /** The lines of the file around it. Each is cut at 200 characters. */
  readonly source: { readonly firstLine: number; readonly lines: readonly string[] }
  /** The schema that has the rule, without the schemas inside. Missing: no schema has it. */
  readonly schema?: JsonObject
}

/** The header fields and bodies of a request and its response, without secrets. */
export interface RequestDetails extends Pick<JournalEntry, 'requestHeaders' | 'responseHeaders' | 'truncated'> {
  readonly requestText: string | undefined
  readonly responseText: string | undefined
  /** The JSON of `changes`. Undefined: the request has changed nothing. */
  readonly changesText?: string | undefined
}

export interface RecordedRequest {
  /** That of the summary. */
  readonly id: string
  /** The part of the summary that is shared with equal requests. What is done for every request reads it: the whole is made each time. */
  readonly common: CommonSummary
  readonly summary: RequestSummary
  /** Approximate size in memory, bytes. */
  readonly bytes: number
  /** Returns header fields and bodies, with their secrets redacted. */
  details(): RequestDetails
  /** Path parameters by name, as received. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** The id of the record that the request created. */
  readonly createdId?: string | undefined
}

/** A filter of entries. An entry must match every property that is given. */
export interface JournalFilter {
  /** An operationId. */
  readonly operation?: string
  readonly status?: number
  /** A caller's name. */
  readonly caller?: string
  readonly verdict?: 'ok' | 'violation'
  /** The id of a record: requests whose path contains it, and the request that created the record. */
  readonly id?: string
}

const summaryFilters = ['operation', 'status', 'caller', 'verdict'] as const

export const matchesFilter = (recorded: RecordedRequest, filter: JournalFilter): boolean =>
  summaryFilters.every((name) => filter[name] === undefined || recorded.common[name] === filter[name]) &&
  (filter.id === undefined || isAbout(recorded, filter.id))

/** Tells whether the path of the request contains the id of a record, or the request created the record. */
const isAbout = ({ createdId, pathParameters }: RecordedRequest, recordId: string): boolean =>
  createdId === recordId ||
  Object.values(pathParameters).some((id) => id === recordId || (id.includes('%') && decodePercent(id) === recordId))

export function toJournalEntry(recorded: RecordedRequest): JournalEntry {
  const { changesText, requestHeaders, requestText, responseHeaders, responseText, truncated } = recorded.details()
  const changes = changesText === undefined ? undefined : (jsonIn(changesText) as JournalEntry['changes'])
  return {
    ...recorded.summary,
    requestHeaders,
    requestBody: toValue(requestText, requestHeaders, truncated.includes('requestBody')),
    responseHeaders,
    responseBody: toValue(responseText, responseHeaders, truncated.includes('responseBody')),
    truncated,
    ...(changes && { changes }),
  }
}

/** Parses a body. @returns The text if it is cut, not JSON or nested too deep; null if there is none. */
function toValue(text: string | undefined, headers: RequestDetails['requestHeaders'], isCut: boolean): unknown {
  if (text === undefined) return null
  if (isCut || !isJson(headers['content-type'] ?? '')) return text
  if (measureJson(Buffer.from(text)).depth > maxDocumentDepth) return text
  const value = jsonIn(text)
  return value === undefined ? text : value
}
