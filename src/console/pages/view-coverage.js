/** The coverage: the documented statuses that were sent, and those that were not. */
import { byId, make, onChange, say } from './dom.js'

export function createCoverage() {
  return {
    rows: onChange((rows) => {
      const statuses = [...new Set(rows.map(({ status }) => status))].toSorted((one, other) =>
        one.localeCompare(other, 'en'),
      )
      const operations = [...new Set(rows.map(({ operation }) => operation))]
      const documented = rows.filter((row) => row.documented)
      const covered = documented.filter(({ count }) => count > 0)
      say(
        byId('coverage-summary'),
        `${covered.length} of ${documented.length} documented statuses were sent since the last reset.`,
      )
      byId('coverage-grid').replaceChildren(
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
              make('th', { scope: 'row' }, operation),
              ...statuses.map((status) =>
                cell(rows.find((row) => row.operation === operation && row.status === status)),
              ),
            ),
          ),
        ),
      )
    }),
  }
}

function cell(row) {
  if (!row) return make('td', { class: 'none' }, make('span', { 'aria-hidden': 'true' }, '·'), hidden('not documented'))
  const { count, documented } = row
  if (count === 0) return make('td', { class: 'never' }, '○ never')
  return make(
    'td',
    { class: 'count' },
    count.toLocaleString('en'),
    !documented && make('div', { class: 'bad' }, '⚠ undocumented'),
  )
}

const hidden = (text) => make('span', { class: 'visually-hidden' }, text)
