/**
 * The state, as a caller sees it.
 *
 * What a caller sees is worked out from the state by each record's `$access`, as the service does. Asking the service as the caller would
 * put the console's own requests into the journal.
 */
import { baseUrl } from './api.js'
import { arrange, byId, copyable, fillSelect, onChange, say } from './dom.js'
import { createDiff } from './view-diff.js'
import { createCard } from './view-record.js'

/** How many records are shown at first, and more at a time. */
const pageSize = 20

/** The choice of everything there is, whoever may see it. No caller can have this name. */
const everything = '*'

export function createStateView() {
  const select = byId('caller')
  const more = byId('more-records')
  const showDiff = createDiff()
  /** Elements by id, for as long as their record is the same. */
  let cards = new Map()
  let state
  let records = []
  /** That of a listing. */
  let path
  let marks = new Map()
  let shown = pageSize

  const card = ({ id, key, record }) => {
    const mark = marks.get(key)
    const text = JSON.stringify([record, mark])
    const known = cards.get(key)
    return known?.text === text ? known : { text, element: createCard(record, id, mark) }
  }

  const render = () => {
    if (!state) return
    const visible = records.filter(({ record }) => isVisible(record, select.value))
    const page = visible.slice(0, shown)
    cards = new Map(page.map((each) => [each.key, card(each)]))
    arrange(
      byId('records'),
      [...cards.values()].map(({ element }) => element),
    )
    const left = visible.length - page.length
    say(more, left > 0 ? `Show ${Math.min(left, pageSize * 5)} more of ${left}` : '')
    say(byId('state-summary'), summary(select.value, visible.length, records))
  }

  const choose = () => {
    shown = pageSize
    const caller = state.$callers?.[select.value]
    byId('state-curl').replaceChildren(
      ...(caller && path !== undefined ? [copyable(listing(caller, path), 'the command')] : []),
    )
    render()
  }

  select.addEventListener('change', choose)
  more.addEventListener('click', () => {
    const before = shown
    shown += pageSize * 5
    render()
    byId('records').children[before]?.querySelector('h3').focus()
  })

  return {
    /** Both at once, so that no card shows the mark of another state. */
    show: onChange(({ collections, diff, document }) => {
      const isNew = JSON.stringify(state?.$callers) !== JSON.stringify(document.$callers)
      state = document
      path = collections.find(({ operations }) => operations.list)?.path
      records = collections.flatMap(({ id, name }) =>
        (document[name] ?? []).map((record) => ({ id, key: `${name} ${String(record[id])}`, name, record })),
      )
      marks = new Map(
        Object.entries(diff.collections).flatMap(([name, { added, changed }]) => [
          ...added.map((id) => [`${name} ${id}`, 'added']),
          ...Object.keys(changed).map((id) => [`${name} ${id}`, 'changed']),
        ]),
      )
      showDiff(diff)
      if (!isNew) return render()
      fillSelect(select, [
        ...Object.entries(document.$callers ?? {}).map(([name, caller]) => ({
          value: name,
          text: tokenOf(caller) === everything ? `${name} (any other token)` : name,
        })),
        { value: everything, text: 'everything, whoever sees it' },
      ])
      return choose()
    }),
  }
}

const isVisible = ({ $access: access }, caller) =>
  caller === everything || access === undefined || access.includes(caller)

function summary(caller, visible, records) {
  const names = new Set(records.map(({ name }) => name))
  const [name = 'records'] = names.size > 1 ? [] : names
  const all = `${records.length.toLocaleString('en')} ${name}`
  if (caller === everything) return `The state holds ${all}.`
  return `${caller} sees ${visible.toLocaleString('en')} of ${all}.`
}

const tokenOf = ({ token, tokens = {} }) => token ?? Object.values(tokens)[0]

function listing(caller, path) {
  const token = tokenOf(caller)
  // Whatever nobody else has will do.
  const sent = token === everything ? 'any-other-token' : token
  return `curl -H 'Authorization: Bearer ${sent}' '${baseUrl}${path.slice(1)}'`
}
