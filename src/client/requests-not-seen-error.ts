import type { RequestListing } from '../control/document-types.js'
import { plural } from '../error-message.js'
import type { JournalEntry, JournalFilter } from '../sandbox/journal-entry.js'

const maxShown = 5

/** Fewer requests than wanted arrived within the time limit. */
export class RequestsNotSeenError extends Error {
  override readonly name = 'RequestsNotSeenError'
  readonly filter: JournalFilter
  /** Number of requests that were wanted. */
  readonly atLeast: number
  /** The time limit, milliseconds. */
  readonly withinMs: number
  /** Number of requests that match the filter. */
  readonly matched: number
  /** The entries that are nearest to the filter, at most 5: those that match most of its properties, the newest first. */
  readonly nearest: readonly JournalEntry[]

  /** @param all - All entries of the journal. @param root - The requests that the root got while this sandbox existed. Undefined for the root. */
  constructor(
    { atLeast, filter, withinMs }: Pick<RequestsNotSeenError, 'atLeast' | 'filter' | 'withinMs'>,
    { matched }: RequestListing,
    all: readonly JournalEntry[],
    root?: RootRequests,
  ) {
    const nearest = findNearest(filter, all)
    const wanted = Object.entries(filter).map(([name, value]) => ` with ${name} ${JSON.stringify(value)}`)
    const none = `The journal is empty: no request has arrived${root ? ` at the sandbox. ${explainEmptySandbox(root)}` : '.'}`
    const shown = nearest.length > 0 ? `The nearest requests that arrived:${formatEntries(nearest)}` : none
    super(`${matched} of ${atLeast} requests${wanted.join(',')} arrived within ${withinMs} ms. ${shown}`)
    this.filter = filter
    this.atLeast = atLeast
    this.withinMs = withinMs
    this.matched = matched
    this.nearest = nearest
  }
}

/** The requests that the root of a double got, for the message of a sandbox without any. */
export interface RootRequests {
  readonly url: string
  readonly entries: readonly JournalEntry[]
}

function explainEmptySandbox({ entries, url }: RootRequests): string {
  if (entries.length === 0)
    return `The root (${url}) got no request meanwhile either. Set INSIGHTS_DOUBLE_URL to one URL for the tests and the app's server.`
  return `The root (${url}) got ${plural(entries.length, 'request')} meanwhile. Send them to the URL of the sandbox, or with the header Insights-Sandbox. If the app's server passes them on, set use: { sandboxOrigins: '<origin of the app>' } in Playwright's defineConfig<DoubleTestFixtures, DoubleWorkerFixtures>.${formatEntries(entries.slice(-maxShown))}`
}

function formatEntries(entries: readonly JournalEntry[]): string {
  const lines = entries.map(({ caller, method, operation, status, url, verdict }) => {
    const about = `${operation ?? 'no operation'}, ${caller ?? 'no caller'}, ${verdict}`
    return `\n  ${method} ${url}  ${status ?? 'no response'}  ${about}`
  })
  return lines.join('')
}

function findNearest(filter: JournalFilter, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const { id = '' } = filter
  const countMatches = (entry: JournalEntry): number =>
    (['operation', 'status', 'caller', 'verdict'] as const).filter((name) => entry[name] === filter[name]).length +
    Number(id !== '' && entry.url.includes(id))
  const newestFirst = entries.toReversed()
  return newestFirst.toSorted((one, other) => countMatches(other) - countMatches(one)).slice(0, maxShown)
}
