/** Records a request: in the journal, in the coverage and for listeners. */
import type { RequestSummary } from '../sandbox/journal-entry.js'
import type { AppOptions } from './app-options.js'
import type { EncodedResponse } from './encode-response.js'
import { maxTargetLength, RecordedExchange } from './recorded-exchange.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'

/** Records a request before its response is sent. @param response - Undefined if the connection was dropped. */
export function recordRequest(
  context: RequestContext,
  response: EncodedResponse | undefined,
  redaction: Redaction,
  { onExchange, onFailure }: AppOptions,
): void {
  const sent = context.request.socket.destroyed ? undefined : response
  const summary = summarize(context, sent?.status ?? null, redaction)
  const { isControl, route, sandbox } = context
  if (!isControl) {
    sandbox.journal.record(new RecordedExchange(summary, context, sent, redaction))
    if (route && sent) sandbox.coverage.count(route.operation.id, sent.status)
  }
  try {
    onExchange(summary, isControl, sandbox.expectsViolations)
  } catch (error) {
    // A listener's error does not concern the response.
    onFailure(context.id, error)
  }
}

/** Summarizes a request, without secrets. @param status - Null if no response is sent. */
function summarize(context: RequestContext, status: number | null, redaction: Redaction): RequestSummary {
  const { note, preference } = context
  return {
    id: context.id,
    time: new Date(context.receivedAt).toISOString(),
    sandbox: redaction.text(context.sandbox.name),
    method: context.method,
    url: redaction.url(context.target).slice(0, maxTargetLength),
    operation: context.route?.operation.id ?? null,
    caller: context.caller?.name ?? null,
    status,
    durationMs: Math.round((performance.now() - context.startedAt) * 1000) / 1000,
    verdict: context.violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok',
    violations: redaction.violations(context.violations),
    fault: context.fault?.id ?? null,
    preference: preference === undefined ? null : redaction.text(preference),
    note: note === undefined ? null : redaction.text(note),
  }
}
