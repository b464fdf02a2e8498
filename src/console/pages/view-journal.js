/** The journal: what was asked, what was answered, and why. Newest first. */
import { ask } from './api.js'
import { arrange, byId, counted, fillSelect, onChange, say } from './dom.js'
import { createEntry } from './view-entry.js'

/** How many entries are shown at first, and more at a time. */
const pageSize = 100

/** The choice of requests that no operation was found for. No operation can have this name. */
const noOperation = ' '

/**
 * @param {(work: Promise<unknown>) => void} run - Waits for work, shows what goes wrong, and asks for everything again.
 */
export function createJournal(run) {
  const operation = byId('by-operation')
  const verdict = byId('by-verdict')
  const pause = byId('pause')
  const more = byId('more-entries')
  /** Entries by id, oldest first. */
  let entries = new Map()
  /** What was there when the journal was paused. */
  let paused
  let elements = new Map()
  let shown = pageSize

  const isMeant = (entry) =>
    (operation.value === '' || (entry.operation ?? noOperation) === operation.value) &&
    (verdict.value === '' || entry.verdict === verdict.value)

  const render = () => {
    const from = paused ?? entries
    const meant = [...from.values()].filter(isMeant)
    const page = meant.slice(-shown).toReversed()
    elements = new Map(page.map((entry) => [entry.id, elements.get(entry.id) ?? createEntry(entry)]))
    arrange(byId('entries'), [...elements.values()])
    const left = meant.length - page.length
    say(more, left > 0 ? `Show ${counted(Math.min(left, pageSize), 'older entry', 'older entries')}` : '')
    say(byId('journal-summary'), summary(meant.length, from.size, paused ? newSince() : 0))
  }

  const newSince = () => [...entries.keys()].filter((id) => !paused.has(id)).length

  for (const select of [operation, verdict]) select.addEventListener('change', render)
  pause.addEventListener('click', () => {
    paused = paused ? undefined : new Map(entries)
    pause.setAttribute('aria-pressed', String(paused !== undefined))
    render()
  })
  byId('clear').addEventListener('click', () => run(ask('requests', { method: 'DELETE' })))
  more.addEventListener('click', () => {
    shown += pageSize
    render()
  })

  return {
    /** Shows what the double's journal holds. */
    show({ entries: list, evicted }) {
      entries = new Map(list.map((entry) => [entry.id, entry]))
      say(
        byId('evicted'),
        evicted === 0
          ? ''
          : `⚠ ${counted(evicted, 'older entry was', 'older entries were')} dropped, because the journal is bounded: what is not listed may still have happened.`,
      )
      render()
    },
    operations: onChange((names) => {
      fillSelect(operation, [
        { value: '', text: 'all' },
        ...names.map((name) => ({ value: name, text: name })),
        { value: noOperation, text: 'none found' },
      ])
      render()
    }),
  }
}

function summary(meant, all, waiting) {
  if (all === 0 && waiting === 0) return 'Nothing was asked of the service since the last reset or clearing.'
  const shown =
    meant === all
      ? counted(all, 'entry', 'entries')
      : `${meant.toLocaleString('en')} of ${counted(all, 'entry', 'entries')}`
  return waiting === 0 ? `${shown}.` : `${shown}. Paused: ${waiting.toLocaleString('en')} new since.`
}
