/** The requests: filters, a list with the newest first, and one request in full. */
import { ask, baseUrl, errorText, withQuery } from './api.js'
import { button, copyable, field, fillSelect, optionsOf, select } from './controls.js'
import { counted, focusOr, make, onChange, onEscape, showText, sign, updateChildren, verdictSign } from './dom.js'
import { goTo, linkTo, referenceLinks } from './route.js'
import { createEntry } from './view-entry.js'

/** Number of requests that are listed at first, and that the button adds. */
const pageSize = 50

const filterNames = ['operation', 'caller', 'verdict', 'status', 'q']

export function createRequestsView(app) {
  const operation = select({ name: 'operation' }, [])
  const caller = select({ name: 'caller' }, [])
  const verdict = select({ name: 'verdict' }, optionsOf(['ok', 'violation'], 'all'))
  const status = make('input', { name: 'status', inputmode: 'numeric', autocomplete: 'off', size: 4 })
  const text = make('input', { name: 'q', type: 'search', autocomplete: 'off' })
  const filterProblem = make('p.problem', { role: 'alert', hidden: true })
  const form = make(
    'form.fields',
    { novalidate: true, 'aria-label': 'Filter' },
    field('Operation', operation),
    field('Caller', caller),
    field('Verdict', verdict),
    field('Status', status),
    field('Text', text),
  )
  const summary = make('p', { role: 'status' })
  const newer = button('', () => ((shown = undefined), app.refresh()), { hidden: true })
  const clearAll = () => void ask('requests', { method: 'DELETE' }).then(() => goTo('requests', {}), showProblem)
  const clear = button('Clear', clearAll)
  const reference = make('a', { href: 'docs' }, 'API reference')
  const asCaller = make('span')
  const showCallers = onChange((names) => asCaller.replaceChildren(...referenceLinks(names)))
  const firstSteps = make(
    'div.stack',
    { hidden: true },
    make('p', 'Send requests to this base URL, or try an operation in the ', reference, asCaller),
    copyable(baseUrl.replace(/\/$/u, ''), 'the base URL'),
  )
  const list = make('ol.plain.entries', { 'aria-label': 'Requests, newest first' })
  const more = button('', () => ((limit += pageSize), (shown = undefined), app.refresh()), { hidden: true })
  const detail = make('section.panel.detail', { 'aria-label': 'Selected request', tabindex: '-1', hidden: true })
  const keys = make('p.quiet', 'Arrow keys move through the list. Escape closes a request.')
  const element = make(
    'div.split',
    make(
      'section.panel',
      { 'aria-label': 'List' },
      form,
      filterProblem,
      make('div.row', summary, newer, clear),
      firstSteps,
      keys,
      list,
      more,
    ),
    detail,
  )

  let query = {}
  let limit = pageSize
  /** The filter and the newest id of the list. Undefined: the list must be requested. */
  let shown
  let rows = new Map()
  let detailId

  const showProblem = (error) => showText(filterProblem, errorText(error))
  const filters = () => Object.fromEntries(filterNames.map((name) => [name, query[name] ?? '']))

  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', () => {
    // A change of the filter does not close the selected request.
    goTo('requests', { ...Object.fromEntries(new FormData(form)), id: query.id }, { replace: true })
  })

  onEscape(element, () => query.id !== undefined && close())
  list.addEventListener('keydown', moveInList)

  /** While a request is selected or the keyboard is in the list, the list does not move, and counts the new requests. */
  async function showList() {
    const key = JSON.stringify(filters())
    const isHeld = query.id !== undefined || list.querySelector(':focus-visible') !== null
    if (isHeld && shown?.key === key && shown.newest !== undefined) {
      const answer = await ask(withQuery('request-lines', { ...filters(), after: shown.newest, limit: 1 }))
      // Fewer than before: the journal was cleared, so listed entries no longer exist.
      if (answer.total + answer.evicted >= shown.recorded) {
        showText(newer, answer.matched === 0 ? '' : `Show ${answer.matched.toLocaleString('en')} newer`)
        return
      }
    }
    const pressed = document.activeElement
    const { evicted, lines, matched, total } = await ask(withQuery('request-lines', { ...filters(), limit }))
    shown = { key, newest: lines[0]?.id, recorded: total + evicted }
    rows = new Map(lines.map((line) => [line.id, rows.get(line.id) ?? createRow(line)]))
    updateChildren(list, [...rows.values()])
    showText(newer, '')
    showText(summary, describe(matched, total, evicted))
    firstSteps.hidden = total > 0
    clear.hidden = total === 0
    for (const each of [keys, list]) each.hidden = lines.length === 0
    const left = Math.min(pageSize, matched - lines.length)
    showText(more, left > 0 ? `Show ${counted(left, 'older request')}` : '')
    // If a button with the focus is hidden, the list gets the focus.
    if ([clear, newer, more].includes(pressed) && pressed.hidden) focusOr(list.querySelector('a'))
  }

  function createRow(line) {
    const onclick = (event) => (event.preventDefault(), choose(line.id))
    return make('li', make('a', { href: '', 'data-id': line.id, onclick }, ...rowParts(line)))
  }

  const choose = (id) => (query.id === id ? close() : goTo('requests', { ...filters(), id }))
  const close = () => goTo('requests', filters())

  /** Moves the focus to another row. Tab reaches only one row of the list. */
  function moveInList(event) {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    const wanted = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: links.length - 1 }[event.key]
    if (wanted === undefined || !links[wanted]) return
    event.preventDefault()
    links[wanted].focus()
    markRows()
  }

  function markRows() {
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : query.id
    const reached = rows.has(focused) ? focused : rows.keys().next().value
    for (const [id, row] of rows) {
      const link = row.firstElementChild
      const href = linkTo('requests', { ...filters(), id })
      if (link.getAttribute('href') !== href) link.setAttribute('href', href)
      link.tabIndex = id === reached ? 0 : -1
      if (id === query.id) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }

  async function showDetail(operations) {
    detail.hidden = query.id === undefined
    element.classList.toggle('has-detail', !detail.hidden)
    if (query.id === detailId) return
    const left = detailId
    const hadFocus = detail.contains(document.activeElement)
    detailId = query.id
    if (detailId === undefined) {
      detail.replaceChildren()
      if (hadFocus) focusOr(rows.get(left)?.firstElementChild)
      return
    }
    const [heading, ...parts] = await entryParts(detailId, operations)
    detail.replaceChildren(make('div.head', heading, button('Close', close)), ...parts)
    rows.get(detailId)?.scrollIntoView({ block: 'nearest' })
    // The request may be below a long list.
    if (detail.getBoundingClientRect().top > innerHeight - 100) detail.scrollIntoView()
  }

  return {
    element,
    async show(wanted) {
      query = wanted
      const { callers, operations } = await app.contract()
      const ids = operations.map(({ operation: id }) => id)
      fillSelect(operation, optionsOf(ids, 'all'))
      fillSelect(caller, optionsOf(Object.keys(callers), 'all'))
      showCallers(Object.keys(callers))
      for (const control of [operation, caller, verdict, status, text])
        if (control !== document.activeElement) control.value = query[control.name] ?? ''
      try {
        await showList()
        showText(filterProblem, '')
      } catch (error) {
        if (error.code !== 'invalid_request') throw error
        showProblem(error)
      }
      markRows()
      await showDetail(operations)
    },
  }
}

/** Requests an entry. @returns Its elements, or its problem. */
async function entryParts(id, operations) {
  try {
    const entry = await ask(`requests/${encodeURIComponent(id)}`)
    return createEntry(entry, operations.find((each) => each.operation === entry.operation)?.path)
  } catch (error) {
    return [make('p.problem', { role: 'alert' }, errorText(error))]
  }
}

function describe(matched, total, evicted) {
  const dropped = evicted === 0 ? '' : ` ${counted(evicted, 'older one was', 'older ones were')} dropped.`
  if (total === 0) return `No requests since the last reset or clearing.${dropped}`
  if (matched === 0) return `None of ${counted(total, 'request')} matches the filter.${dropped}`
  return matched === total
    ? `${counted(total, 'request')}.${dropped}`
    : `${matched.toLocaleString('en')} of ${counted(total, 'request')}.${dropped}`
}

function rowParts({ caller, durationMs, fault, method, status, time, url, verdict, warnings }) {
  const target = `${method} ${url}`.trim()
  const took = durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs).toLocaleString('en')
  return [
    make('time', { datetime: time, title: time }, clock(time)),
    make('span.status', status ?? 'no response'),
    verdictSign(verdict),
    make(
      'span.marks',
      warnings > 0 && sign('warning', counted(warnings, 'warning'), 'warn'),
      fault !== null && sign('fault', 'fault', 'warn'),
    ),
    make('bdi', caller ?? 'no caller'),
    make('span.quiet.took', `${took} ms`),
    make('span.target', target === '' ? 'a request that could not be parsed' : target),
  ]
}

/** Formats the local time of day, with milliseconds. */
function clock(time) {
  const moment = new Date(time)
  const part = (value, length = 2) => String(value).padStart(length, '0')
  return `${part(moment.getHours())}:${part(moment.getMinutes())}:${part(moment.getSeconds())}.${part(moment.getMilliseconds(), 3)}`
}
