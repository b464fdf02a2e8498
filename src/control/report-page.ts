/** The report of a run: the console as one file, with the responses that it would get inside. It requests nothing from any host. */
import { explainResources } from '../resources/explain.js'
import type { Service } from '../resources/load-service.js'
import { diffStates } from '../resources/records/diff.js'
import { coverageOf } from '../sandbox/coverage.js'
import type { JournalEntry, RecordedRequest, RequestSummary } from '../sandbox/journal-entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AdminContext } from './admin-handler-types.js'
import type { SandboxSummary, StateDiff } from './document-types.js'
import { describeRequest, toLine } from './journal-handlers.js'
import type { RequestLines } from './page-types.js'
import { readPage } from './pages.js'

const maxBytes = 5 * 1024 * 1024

/** The bytes that are left for the page itself, its styles and its script. */
const pageBytes = 256 * 1024

const reportPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"

type Fits = (value: unknown) => boolean

/** Writes JSON that cannot end the script element that contains it. */
const escaped = (value: unknown): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

/**
 * Runs with violations and failed tests come first: if not everything fits, other requests lose their header fields and bodies, then they are only
 * counted.
 */
export async function createReportPage(page: string, double: AdminContext, sandboxes: readonly SandboxSummary[]) {
  const { sandboxes: known, service } = double
  let left = maxBytes - pageBytes
  /** Takes a value if it fits into what is left of the report. */
  const fits: Fits = (value) => {
    const bytes = Buffer.byteLength(escaped(value))
    if (bytes > left) return false
    left -= bytes
    return true
  }
  const contract = explainResources(service())
  const { operations } = service().contract
  const runs = [known.root, ...known.listed()]
  const ofAll = {
    collections: fits(contract) ? contract : { collections: [], operations: [], securitySchemes: [] },
    sandboxes: sandboxes.filter(fits),
    'coverage?allRuns=true': coverageOf(runs).rows(operations).filter(fits),
  }
  const rank = ({ journal, test: { expectsViolations, result } }: Sandbox): number =>
    journal.violating > 0 && !expectsViolations ? 0 : result?.outcome === 'failed' ? 1 : 2
  const sorted = runs.toSorted((one, other) => rank(one) - rank(other))
  const ofRuns = sorted.map((run) => {
    const coverage = run.coverage.rows(operations).filter(fits)
    return [run.name, { ...responsesOf(run, fits, service()), coverage }] as const
  })
  const snapshot = { first: sorted[0]?.name, ofAll, ofRuns: Object.fromEntries(ofRuns) }
  const files = ['base.css', 'console.css', 'console.js']
  const read = async (file: string) => (await readPage(file))?.body
  const [base = '', styles = '', script = ''] = await Promise.all(files.map(read))
  const policy = `<meta http-equiv="Content-Security-Policy" content="${reportPolicy}" />`
  return page
    .replace(/ *<link [^>]*>\n/gu, '')
    .replace(/<script [^>]*><\/script>/u, () => `<style>${base}${styles}</style>`)
    .replace('<meta charset="utf-8" />', (charset) => charset + policy)
    .replace('</body>', () =>
      [
        `<script type="application/json" id="snapshot">${escaped(snapshot)}</script>`,
        `<script type="module">${script.replaceAll('</script', String.raw`<\/script`)}</script>`,
        '</body>',
      ].join('\n'),
    )
}

/** Returns the responses for the views of a run, by path. Requests with violations and the newest have precedence. */
function responsesOf({ baseline, faults, journal, store }: Sandbox, fits: Fits, service: Service) {
  const recorded = journal.find()
  const isBad = ({ common }: RecordedRequest): boolean => common.verdict === 'violation'
  const newest = recorded.toReversed()
  const fitting = new Map<RecordedRequest, JournalEntry | RequestSummary>()
  for (const each of [...newest.filter(isBad), ...newest.filter((entry) => !isBad(entry))]) {
    const entry = describeRequest(each, service)
    const shown = [entry, each.summary].find((form) => fits([toLine(each), form]))
    if (shown) fitting.set(each, shown)
  }
  const lines = newest.filter((each) => fitting.has(each)).map(toLine)
  const evicted = recorded.length - lines.length
  return {
    'request-lines': { lines, total: lines.length, evicted } satisfies RequestLines,
    ...Object.fromEntries([...fitting.values()].map((entry) => [`requests/${entry.id}`, entry])),
    'state/diff': {
      fixture: baseline.name,
      collections: diffStates(baseline.state, store.committed, 20),
    } satisfies StateDiff,
    faults: faults.list(),
    'faults?consumed=true': faults.consumed(),
  }
}
