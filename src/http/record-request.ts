/** Records a request: in the journal, in the coverage and for listeners. */
import type { OperationResponse } from '../contract/contract.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { AppOptions } from './app-options.js'
import type { Redaction } from './redact-request.js'
import { createRedaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'

/** The longest request target that the journal keeps, in characters. */
const maxTargetLength = 2048

/** Records a request before its response is sent. @param response - Undefined if the connection was dropped. */
export function recordRequest(
  context: RequestContext,
  response: OperationResponse | undefined,
  { onExchange, onFailure, secrets }: AppOptions,
): JournalEntry {
  const status = response && !context.request.socket.destroyed ? response.status : null
  const entry = toJournalEntry(context, status, createRedaction(context, secrets(), response))
  const { isControl, route, sandbox } = context
  if (!isControl) {
    sandbox.journal.record(entry)
    if (route && status !== null) sandbox.coverage.count(route.operation.id, status)
  }
  try {
    onExchange(entry, isControl, sandbox.expectsViolations)
  } catch (error) {
    // A listener's error does not concern the response.
    onFailure(context.id, error)
  }
  return entry
}

/** Creates the journal entry, without secrets. @param status - Null if no response is sent. */
function toJournalEntry(context: RequestContext, status: number | null, redaction: Redaction): JournalEntry {
  const redact = (text: string | undefined): string | null => (text === undefined ? null : redaction.text(text))
  return {
    id: context.id,
    time: new Date(context.receivedAt).toISOString(),
    sandbox: redaction.text(context.sandbox.name),
    method: context.method,
    url: redaction.url(context.target).slice(0, maxTargetLength),
    headers: redaction.headers(context.request.headers),
    operation: context.route?.operation.id ?? null,
    caller: context.caller?.name ?? null,
    status,
    durationMs: Math.round((performance.now() - context.startedAt) * 1000) / 1000,
    verdict: context.violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok',
    violations: redaction.violations(context.violations),
    fault: context.fault ?? null,
    preference: redact(context.preference),
    note: redact(context.note),
  }
}
