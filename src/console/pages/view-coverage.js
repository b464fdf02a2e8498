/** The coverage: how often each documented status of each operation was sent, with links to the requests. */
import { ask } from './api.js'
import { button, field } from './controls.js'
import { counted, headRow, make, onChange, picture, replaceChildren, showText, sign, sortedOnce, wide } from './dom.js'
import { linkTo } from './route.js'

/** Number of operations that are shown at first, and that the button adds. */
const pageSize = 100

export function createCoverageView() {
  const summary = make('p', { role: 'status' })
  const text = make('input', { type: 'search', autocomplete: 'off' })
  const filter = make('div.fields', field('Operation', text))
  const head = make('thead')
  const body = make('tbody')
  const more = button('', () => ((limit += pageSize), showTable()), { hidden: true })
  const element = make(
    'section.panel',
    { 'aria-label': 'Coverage' },
    summary,
    filter,
    wide('Operations and statuses', make('table.coverage', head, body)),
    more,
  )
  let operations = new Map()
  let limit = pageSize
  /** Table rows by operation. They are kept while nothing changes in them. */
  let shown = new Map()

  text.addEventListener('input', () => showTable())

  function showTable() {
    const needle = text.value.trim().toLowerCase()
    const matching = [...operations].filter(([name]) => name.toLowerCase().includes(needle))
    const page = matching.slice(0, limit)
    const statuses = sortedOnce(page.flatMap(([, rows]) => rows.map(({ status }) => status)))
    shown = new Map(
      page.map(([name, rows]) => {
        const known = shown.get(name)
        const key = JSON.stringify([statuses, rows])
        return [name, known?.key === key ? known : { key, element: tableRow(name, statuses, rows) }]
      }),
    )
    head.replaceChildren(headRow(['Operation', ...statuses]))
    replaceChildren(
      body,
      [...shown.values()].map((row) => row.element),
    )
    head.hidden = page.length === 0
    filter.hidden = operations.size <= pageSize && needle === ''
    const left = Math.min(pageSize, matching.length - page.length)
    showText(more, left > 0 ? `Show ${left} more` : '')
    const rows = [...operations.values()].flat().filter((row) => row.documented)
    const covered = rows.filter(({ count }) => count > 0)
    const cut =
      page.length < operations.size ? ` ${page.length} of ${counted(operations.size, 'operation')} are shown.` : ''
    showText(summary, `${covered.length} of ${rows.length} documented statuses were sent since the last reset.${cut}`)
  }

  const showRows = onChange((rows) => {
    operations = Map.groupBy(rows, ({ operation }) => operation)
    showTable()
  })
  return { element, show: async () => showRows(await ask('coverage')) }
}

const tableRow = (operation, statuses, rows) =>
  make(
    'tr',
    make('th', { scope: 'row' }, make('a', { href: linkTo('requests', { operation }) }, operation)),
    ...statuses.map((status) => cell(rows.find((row) => row.status === status))),
  )

function cell(row) {
  if (!row) return make('td.none', '–')
  const { count, documented, operation, status } = row
  const name = `${operation} ${status}`
  const href = linkTo('requests', { operation, status: /^\d{3}$/u.test(status) ? status : undefined })
  const link = (icon, text) =>
    make('a', { href, 'aria-label': `${text}: ${name}`, 'data-name': name }, picture(icon), text)
  if (count === 0) return make('td.never', link('never', 'never'))
  const mark = !documented && make('div', sign('warning', 'undocumented', 'bad'))
  return make('td.count', link('ok', count.toLocaleString('en')), mark)
}
