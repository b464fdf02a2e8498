/** Returns the journal in short form: one line for each request, without header fields and bodies. */
import type { RequestSummary } from '../sandbox/journal-entry.js'
import type { AdminHandler, AdminRequest } from './admin-handler-types.js'

/** The short form of a request. */
interface RequestLine extends Pick<
  RequestSummary,
  'id' | 'time' | 'method' | 'url' | 'operation' | 'caller' | 'status' | 'durationMs' | 'verdict' | 'fault'
> {
  /** Number of warnings. */
  readonly warnings: number
}

/** The longest request target of a line, characters. */
const maxUrlLength = 200

/** Returns the newest matching requests in short form, newest first. */
export const listRequestLines: AdminHandler = ({ parameters, sandbox: { journal } }) => {
  const all = journal.find().map(({ summary }) => summary)
  const { after } = parameters
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === String(after)) + 1
  const isWanted = matcherOf(parameters)
  const matching = all.slice(start).filter(isWanted)
  const lines = matching.slice(-Number(parameters['limit'] ?? 100)).toReversed()
  return {
    body: { lines: lines.map(toLine), matched: matching.length, total: all.length, evicted: journal.evicted },
  }
}

function matcherOf({
  caller,
  operation,
  q = '',
  status,
  verdict,
}: AdminRequest['parameters']): (entry: RequestSummary) => boolean {
  const needle = String(q).toLowerCase()
  return (entry) =>
    (operation === undefined || entry.operation === operation) &&
    (caller === undefined || entry.caller === caller) &&
    (status === undefined || entry.status === status) &&
    (verdict === undefined || entry.verdict === verdict) &&
    (needle === '' || textsOf(entry).some((text) => text.toLowerCase().includes(needle)))
}

const textsOf = ({ id, method, note, url, violations }: RequestSummary): readonly string[] => [
  id,
  `${method} ${url}`,
  note ?? '',
  ...violations.map(({ message }) => message),
]

function toLine(entry: RequestSummary): RequestLine {
  const { caller, durationMs, fault, id, method, operation, status, time, url, verdict, violations } = entry
  return {
    id,
    time,
    method,
    url: url.length > maxUrlLength ? `${url.slice(0, maxUrlLength)}…` : url,
    operation,
    caller,
    status,
    durationMs,
    verdict,
    fault,
    warnings: violations.filter(({ severity }) => severity === 'Warning').length,
  }
}
