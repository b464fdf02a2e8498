import { diffStates } from '../resources/records/diff.js'
import type { JournalEntry, RecordedRequest, RequestSummary } from '../sandbox/journal-entry.js'
import { toJournalEntry } from '../sandbox/journal-entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AdminContext } from './admin-handler-types.js'
import type { SandboxSummary } from './document-types.js'
/** The report of a run: the console as one file, with what it shows inside. It requests nothing from any host. */
import { readPage } from './pages.js'

/** The most bytes of a report, 5 MiB. */
const maxBytes = 5 * 1024 * 1024

/** The bytes that are left for the page itself, its styles and its script. */
const pageBytes = 256 * 1024

/** Takes values while they fit into what is left of the report. */
class Room {
  #left = maxBytes - pageBytes

  has(value: unknown): boolean {
    const bytes = Buffer.byteLength(escaped(value))
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}

/** Writes JSON that cannot end the script element that contains it. */
const escaped = (value: unknown): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

/**
 * Creates the report. Runs with violations and failed tests come first: if not everything fits, other requests lose their header fields and
 * bodies, then they are only counted.
 *
 * @param contract - What `explain` says of the contract. @param sandboxes - Their summaries, for the list of runs.
 */
export async function createReportPage(
  page: string,
  { sandboxes: known, service }: Pick<AdminContext, 'sandboxes' | 'service'>,
  contract: object,
  sandboxes: readonly SandboxSummary[],
): Promise<string> {
  const room = new Room()
  const runs = [known.root, ...known.kept(), ...known.list()]
  const isBad = ({ journal, test: { result } }: Sandbox): boolean =>
    journal.violating > 0 || result?.outcome === 'failed'
  const ordered = [...runs.filter(isBad), ...runs.filter((run) => !isBad(run))]
  const snapshot = {
    contract: room.has(contract) ? contract : { collections: [], operations: [], securitySchemes: [] },
    sandboxes: sandboxes.filter((each) => room.has(each)),
    runs: Object.fromEntries(
      ordered.map((run) => [
        run.name,
        {
          ...fittingEntries(run.journal.find(), room),
          diff: { fixture: run.baseline.name, collections: diffStates(run.baseline.state, run.store.committed, 20) },
          faults: run.faults.list(),
          coverage: run.coverage.rows(service().contract.operations).filter((row) => room.has(row)),
        },
      ]),
    ),
  }
  const files = ['base.css', 'console.css', 'console.js']
  const [base = '', styles = '', script = ''] = await Promise.all(
    files.map(async (file) => (await readPage(file))?.body),
  )
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
  return page
    .replace(/ *<link [^>]*>\n/gu, '')
    .replace(/<script [^>]*><\/script>/u, () => `<style>${base}${styles}</style>`)
    .replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    )
    .replace('</body>', () =>
      [
        `<script type="application/json" id="snapshot">${escaped(snapshot)}</script>`,
        `<script type="module">${script.replaceAll('</script', String.raw`<\/script`)}</script>`,
        '</body>',
      ].join('\n'),
    )
}

/** Returns the entries that fit, oldest first: those with violations and the newest have precedence. */
function fittingEntries(recorded: readonly RecordedRequest[], room: Room) {
  const isBad = ({ summary }: RecordedRequest): boolean => summary.verdict === 'violation'
  const newest = recorded.toReversed()
  const fitting = new Map<RecordedRequest, JournalEntry | RequestSummary>()
  for (const each of [...newest.filter(isBad), ...newest.filter((entry) => !isBad(entry))]) {
    const entry = toJournalEntry(each)
    const shown = room.has(entry) ? entry : room.has(each.summary) ? each.summary : undefined
    if (shown) fitting.set(each, shown)
  }
  const entries = recorded.flatMap((each) => fitting.get(each) ?? [])
  return { entries, evicted: recorded.length - entries.length }
}
