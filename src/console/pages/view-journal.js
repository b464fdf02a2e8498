/** The journal: requests and responses, newest first. */
import { ask } from './api.js'
import { arrange, byId, counted, fillSelect, onChange, say } from './dom.js'
import { createEntry } from './view-entry.js'

/** Number of entries that are shown at first, and added by the button. */
const pageSize = 100

/** The option for requests that match no operation. No operation can have this name. */
const noOperation = ' '

/** Creates the view. @param {(action: Promise<unknown>) => void} run - Waits for an action, shows its error, and refreshes. */
export function createJournal(run) {
  const operation = byId('by-operation')
  const verdict = byId('by-verdict')
  const pause = byId('pause')
  const more = byId('more-entries')
  /** Entries by id, oldest first. */
  let entries = new Map()
  /** The entries at the time of the pause. Undefined: not paused. */
  let paused
  let elements = new Map()
  let shown = pageSize

  const isSelected = (entry) =>
    (operation.value === '' || (entry.operation ?? noOperation) === operation.value) &&
    (verdict.value === '' || entry.verdict === verdict.value)

  const render = () => {
    const from = paused ?? entries
    const selected = [...from.values()].filter(isSelected)
    const page = selected.slice(-shown).toReversed()
    elements = new Map(page.map((entry) => [entry.id, elements.get(entry.id) ?? createEntry(entry)]))
    arrange(byId('entries'), [...elements.values()])
    const left = selected.length - page.length
    say(more, left > 0 ? `Show ${counted(Math.min(left, pageSize), 'older entry', 'older entries')}` : '')
    say(byId('journal-summary'), summary(selected.length, from.size, paused ? newSince() : 0))
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
    /** Shows the entries of the journal. */
    show({ entries: list, evicted }) {
      entries = new Map(list.map((entry) => [entry.id, entry]))
      say(
        byId('evicted'),
        evicted === 0
          ? ''
          : `⚠ ${counted(evicted, 'older entry was', 'older entries were')} dropped, because the size of the journal is limited.`,
      )
      render()
    },
    operations: onChange((names) => {
      fillSelect(operation, [
        { value: '', text: 'all' },
        ...names.map((name) => ({ value: name, text: name })),
        { value: noOperation, text: 'none' },
      ])
      render()
    }),
  }
}

function summary(selected, all, waiting) {
  if (all === 0 && waiting === 0) return 'No requests since the last reset or clearing.'
  const shown =
    selected === all
      ? counted(all, 'entry', 'entries')
      : `${selected.toLocaleString('en')} of ${counted(all, 'entry', 'entries')}`
  return waiting === 0 ? `${shown}.` : `${shown}. Paused: ${waiting.toLocaleString('en')} new.`
}
