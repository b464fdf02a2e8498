/**
 * The state, as a caller sees it.
 *
 * What a caller sees is worked out from the state by each insight's access, as the service does. Asking the service as the caller would
 * put the console's own requests into the journal.
 */
import { baseUrl } from './api.js'
import { arrange, byId, copyable, counted, fillSelect, onChange, say } from './dom.js'
import { createDiff } from './view-diff.js'
import { createCard } from './view-insight.js'

/** How many insights are shown at first, and more at a time. */
const pageSize = 20

/** The choice of everything there is, whoever may see it. No caller can have this name. */
const everything = '*'

export function createStateView() {
  const select = byId('caller')
  const more = byId('more-insights')
  const showDiff = createDiff()
  /** Elements by id, for as long as their insight is the same. */
  let cards = new Map()
  let state
  let marks = new Map()
  let shown = pageSize

  const card = (insight) => {
    const mark = marks.get(insight.id)
    const text = JSON.stringify([insight, mark])
    const known = cards.get(insight.id)
    return known?.text === text ? known : { text, element: createCard(insight, mark) }
  }

  const render = () => {
    if (!state) return
    const visible = state.insights.filter((insight) => isVisible(insight, select.value))
    const page = visible.slice(0, shown)
    cards = new Map(page.map((insight) => [insight.id, card(insight)]))
    arrange(
      byId('insights'),
      [...cards.values()].map(({ element }) => element),
    )
    const left = visible.length - page.length
    say(more, left > 0 ? `Show ${Math.min(left, pageSize * 5)} more of ${left}` : '')
    say(byId('state-summary'), summary(select.value, visible.length, state.insights.length))
  }

  const choose = () => {
    shown = pageSize
    const caller = state.callers[select.value]
    byId('state-curl').replaceChildren(...(caller ? [copyable(listing(caller.token), 'the command')] : []))
    render()
  }

  select.addEventListener('change', choose)
  more.addEventListener('click', () => {
    const before = shown
    shown += pageSize * 5
    render()
    byId('insights').children[before]?.querySelector('h3').focus()
  })

  return {
    /** Both at once, so that no card shows the mark of another state. */
    show: onChange(({ diff, document }) => {
      const isNew = JSON.stringify(state?.callers) !== JSON.stringify(document.callers)
      state = document
      marks = new Map([...diff.added.map((id) => [id, 'added']), ...diff.changed.map((id) => [id, 'changed'])])
      showDiff(diff)
      if (!isNew) return render()
      fillSelect(select, [
        ...Object.entries(document.callers).map(([name, { token }]) => ({
          value: name,
          text: token === everything ? `${name} (any other token)` : name,
        })),
        { value: everything, text: 'everything, whoever sees it' },
      ])
      return choose()
    }),
  }
}

const isVisible = ({ access }, caller) => caller === everything || access === undefined || access.includes(caller)

function summary(caller, visible, all) {
  if (caller === everything) return `The state holds ${counted(all, 'insight')}.`
  return `${caller} sees ${visible.toLocaleString('en')} of ${counted(all, 'insight')}.`
}

function listing(token) {
  // Whatever nobody else has will do.
  const sent = token === everything ? 'any-other-token' : token
  return `curl -H 'Authorization: Bearer ${sent}' '${baseUrl}insights'`
}
