/** The coverage: operations and documented statuses, seen or not. Each leads to its requests. */
import { ask } from './api.js'
import { make, onChange, replaceChildren, say } from './dom.js'
import { linkTo } from './route.js'
import { picture, sign } from './signs.js'

export function createCoverageView() {
  const summary = make('p', { role: 'status' })
  const table = make('table', {})
  const element = make(
    'section',
    { class: 'panel', 'aria-label': 'Coverage' },
    summary,
    make('div', { class: 'wide', role: 'region', 'aria-label': 'Operations and statuses', tabindex: '0' }, table),
  )
  const showRows = onChange((rows) => {
    const statuses = [...new Set(rows.map(({ status }) => status))].toSorted((one, other) =>
      one.localeCompare(other, 'en'),
    )
    const operations = [...new Set(rows.map(({ operation }) => operation))]
    const documented = rows.filter((row) => row.documented)
    const covered = documented.filter(({ count }) => count > 0)
    say(summary, `${covered.length} of ${documented.length} documented statuses were sent since the last reset.`)
    replaceChildren(table, [
      make(
        'thead',
        {},
        make(
          'tr',
          {},
          make('th', { scope: 'col' }, 'Operation'),
          ...statuses.map((status) => make('th', { scope: 'col' }, status)),
        ),
      ),
      make(
        'tbody',
        {},
        ...operations.map((operation) =>
          make(
            'tr',
            {},
            make('th', { scope: 'row' }, make('a', { href: linkTo('requests', { operation }) }, operation)),
            ...statuses.map((status) => cell(rows.find((row) => row.operation === operation && row.status === status))),
          ),
        ),
      ),
    ])
  })
  return { element, show: async () => showRows(await ask('coverage')) }
}

function cell(row) {
  if (!row) return make('td', { class: 'none' }, make('span', { 'aria-hidden': 'true' }, '·'), hidden('not documented'))
  const { count, documented, operation, status } = row
  const link = (icon, text) =>
    make(
      'a',
      {
        href: linkTo('requests', { operation, status: /^\d{3}$/u.test(status) ? status : undefined }),
        'aria-label': `${text}: ${operation} ${status}`,
      },
      picture(icon),
      ` ${text}`,
    )
  if (count === 0) return make('td', { class: 'never' }, link('never', 'never'))
  return make(
    'td',
    { class: 'count' },
    link('ok', count.toLocaleString('en')),
    !documented && make('div', {}, sign('warning', 'undocumented', 'bad')),
  )
}

const hidden = (text) => make('span', { class: 'visually-hidden' }, text)
