import { shortPlace } from '../addresses.js'
import { essenceOf } from '../contract/media-types.js'
import { brokenRuleAt } from '../contract/spec-places.js'
import { createError } from '../http-errors.js'
import type { Service } from '../resources/load-service.js'
import { coverageOf } from '../sandbox/coverage.js'
import { type JournalEntry, type RecordedRequest, toJournalEntry } from '../sandbox/journal-entry.js'
import type { AdminHandlers, AdminRequest } from './admin-handler-types.js'
import { toFault } from './fault-handlers.js'
import type { RequestLine, RequestLines } from './page-types.js'
import { copyRequest, toReplay } from './request-copies.js'

const filters = ['operation', 'status', 'caller', 'verdict', 'id', 'atLeast', 'withinMs']

export const journalHandlers: AdminHandlers = {
  // Returns the entries that match a filter. Waits until there are enough if the request has `atLeast`.
  listRequests: async (request) => {
    const { clientSignal, double, parameters, sandbox } = request
    checkFilters(request)
    const { atLeast = 0, withinMs = 0, ...filter } = parameters
    let signal: AbortSignal | undefined
    const createSignal = (): AbortSignal => (signal = clientSignal())
    const satisfied = await sandbox.journal.wait(filter, { atLeast, withinMs, createSignal })
    // A client that has disconnected gets no entries.
    const isGone = signal?.aborted && !double.stopping.aborted
    const entries = isGone ? [] : sandbox.journal.find(filter).map(toJournalEntry)
    return { body: { entries, matched: entries.length, evicted: sandbox.journal.evicted, satisfied } }
  },
  // Returns the newest requests in short form, one line each, newest first.
  listRequestLines: ({ parameters: { limit = 100 }, sandbox: { journal } }) => {
    const all = journal.find()
    const lines = all.slice(-limit).toReversed().map(toLine)
    return { body: { lines, total: all.length, evicted: journal.evicted } satisfies RequestLines }
  },
  getRequest: (request) => {
    const { double, origin, parameters, sandbox } = request
    const { as, id = '' } = parameters
    const recorded = sandbox.journal.get(id)
    if (!recorded) throw createError('unknown_request', { id })
    if (as === undefined) return { body: describeRequest(recorded, double.service()) }
    if (as === 'fault') return { body: toFault(recorded) }
    const { method, operation } = recorded.summary
    if (method === '') throw createError('not_repeatable', { id, reason: 'it could not be parsed as HTTP' })
    const security = double.service().contract.operations.find((each) => each.id === operation)?.security ?? []
    if (as === 'replay') return { body: toReplay(recorded, security, request) }
    const older = sandbox.journal.find().filter(({ summary: { time } }) => time <= recorded.summary.time)
    const isLater = older.some((each) => each !== recorded && each.details().changesText !== undefined)
    return { body: copyRequest(recorded, as, origin, security, isLater), mediaType: 'text/plain' }
  },
  clearRequests: ({ sandbox }) => ({ commit: () => void sandbox.journal.clear() }),
  getCoverage: ({ double: { sandboxes, service }, parameters: { allRuns = false }, sandbox }) => {
    const coverage = allRuns ? coverageOf([sandboxes.root, ...sandboxes.listed()]) : sandbox.coverage
    return { body: coverage.rows(service().contract.operations) }
  },
  streamEvents: ({ double, parameters, sandbox, clientSignal }) => {
    const { changes, 'Last-Event-ID': lastEventId } = parameters
    const stream = double.eventStreams.open(sandbox.journal, lastEventId, changes)
    const signal = clientSignal()
    if (signal.aborted) stream.end()
    else signal.addEventListener('abort', () => stream.end(), { once: true })
    return { body: stream, mediaType: 'text/event-stream' }
  },
}

/** Refuses filters that cannot match. @throws {DoubleError} `unknown_filter`, `unknown_operation`, `unknown_caller`. */
function checkFilters({ double, parameters: { caller, operation }, sandbox, unknownParameters }: AdminRequest): void {
  const [unknown] = unknownParameters
  if (unknown !== undefined) throw createError('unknown_filter', { got: unknown, known: filters })
  // A reload or a new state may have removed names that the journal still contains.
  const recorded = sandbox.journal.find().map(({ summary }) => summary)
  const operations = double.service().contract.operations.map(({ id }) => id)
  if (operation !== undefined && ![...operations, ...recorded.map((each) => each.operation)].includes(operation))
    throw createError('unknown_operation', { got: operation, known: operations })
  const callers = sandbox.store.pending.callers.map(({ name }) => name)
  if (caller !== undefined && ![...callers, ...recorded.map((each) => each.caller)].includes(caller))
    throw createError('unknown_caller', { got: caller, known: callers })
}

const maxUrlLength = 200

/** Describes a request, its response, and for each violation the rule of the contract that is broken. */
export function describeRequest(recorded: RecordedRequest, { contract }: Service): JournalEntry {
  const entry = toJournalEntry(recorded)
  const operation = contract.operations.find(({ id }) => id === entry.operation)
  if (!operation || entry.violations.length === 0) return entry
  const exchange = {
    status: entry.status ?? 0,
    requestType: essenceOf(entry.requestHeaders['content-type'] ?? ''),
    responseType: essenceOf(entry.responseHeaders['content-type'] ?? ''),
  }
  const rules = entry.violations.map((violation) => {
    const { path, schema } = brokenRuleAt(contract, operation, violation, exchange)
    const { file, line, text } = contract.locate(path, 'key')
    return { file: shortPlace(file), line, source: linesAround(text, line), ...(schema && { schema }) }
  })
  return { ...entry, rules }
}

/** Returns three lines of a text before a line, that line, and four after it. @param line - From 1. */
function linesAround(text: string, line: number) {
  const firstLine = Math.max(1, line - 3)
  const lines = text.split(/\r?\n/u, line + 4).slice(firstLine - 1)
  return { firstLine, lines: lines.map((each) => each.slice(0, 200)) }
}

export function toLine({ summary }: RecordedRequest): RequestLine {
  const { caller, durationMs, fault, id, method, operation, status, time, url, verdict, violations } = summary
  const shownUrl = url.length > maxUrlLength ? `${url.slice(0, maxUrlLength)}…` : url
  const warnings = violations.filter(({ severity }) => severity === 'Warning').length
  return { id, time, method, url: shownUrl, operation, caller, status, durationMs, verdict, fault, warnings }
}
