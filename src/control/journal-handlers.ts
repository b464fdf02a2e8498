/** Handles the operations on the journal and the coverage: list, wait, stream, clear. */
import { createError } from '../errors.js'
import type { JournalFilter } from '../sandbox/journal.js'
import type { AdminHandler, AdminRequest } from './admin-types.js'

/** Returns the entries that match a filter. Waits until there are enough, if the request says so. */
export const listRequests: AdminHandler = async ({ parameters, sandbox, clientSignal }) => {
  const filter = filterOf(parameters)
  const { atLeast = 0, withinMs = 0 } = parameters
  const satisfied = await sandbox.journal.wait(filter, {
    atLeast: Number(atLeast),
    withinMs: Number(withinMs),
    createSignal: clientSignal,
  })
  const entries = sandbox.journal.entries(filter)
  return { body: { entries, matched: entries.length, evicted: sandbox.journal.evicted, satisfied } }
}

/** Returns an entry of the journal. */
export const getRequest: AdminHandler = ({ parameters, sandbox }) => {
  const id = String(parameters['id'])
  const entry = sandbox.journal.entry(id)
  if (!entry) throw createError('unknown_request', { id })
  return { body: entry }
}

/** Removes all entries. */
export const clearRequests: AdminHandler = ({ sandbox }) => ({ commit: () => sandbox.journal.clear() })

/** Returns the number of responses for each operation and status. */
export const getCoverage: AdminHandler = ({ double, sandbox }) => ({
  body: sandbox.coverage.rows(double.service().contract.operations),
})

/** Streams new entries as server-sent events. */
export const streamEvents: AdminHandler = ({ double, parameters, sandbox, clientSignal }) => {
  const { changes, 'Last-Event-ID': lastEventId } = parameters
  const stream = double.eventStreams.open(
    sandbox.journal,
    lastEventId === undefined ? undefined : String(lastEventId),
    changes === true,
  )
  const signal = clientSignal()
  if (signal.aborted) stream.end()
  else signal.addEventListener('abort', () => stream.end(), { once: true })
  return { body: stream, mediaType: 'text/event-stream' }
}

function filterOf({ caller, operation, status, verdict }: AdminRequest['parameters']): JournalFilter {
  return {
    ...(operation === undefined ? {} : { operation: String(operation) }),
    ...(status === undefined ? {} : { status: Number(status) }),
    ...(caller === undefined ? {} : { caller: String(caller) }),
    ...(verdict === undefined ? {} : { verdict: verdict === 'ok' ? 'ok' : 'violation' }),
  }
}
