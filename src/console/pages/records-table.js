/** The table of records: one page, with the changes since the last reset. */
import { button, make, replaceChildren } from './dom.js'
import { goTo, linkTo } from './route.js'
import { sign } from './signs.js'
import { fieldChanges } from './view-diff.js'

/** Maximum number of columns. The editor shows all properties of a record. */
const maxColumns = 8

/**
 * Shows records in a table.
 *
 * @param {Element} table
 * @param {readonly { key: string, record: object, added?: true, changed?: object }[]} records - As `GET /__admin/records` lists them.
 * @param {string} id - The property that is the id, which is the first column.
 * @param {Record<string, string>} query - The URL's query: the collection, the order and the selected record.
 */
export function showRecords(table, records, id, query) {
  const names = [...new Set(records.flatMap(({ record }) => Object.keys(record)))]
  const columns = [id, ...names.filter((name) => name !== id)].slice(0, maxColumns)
  replaceChildren(table, [
    make('caption.visually-hidden', `Records of ${query.collection}`),
    make('thead', make('tr', ...columns.map((name) => heading(name, query)))),
    make(
      'tbody',
      ...records.flatMap(({ added, changed, key, record }) => {
        const row = recordRow(key, record, columns, query, added)
        return changed === undefined ? [row] : [row, changesRow(changed, columns.length)]
      }),
    ),
  ])
}

function heading(name, query) {
  const isSorted = query.sort === name
  const isDescending = query.order === 'desc'
  const next = isSorted && !isDescending ? 'desc' : 'asc'
  const direction = isDescending ? 'descending' : 'ascending'
  const sort = button(name, () => goTo('state', { ...query, sort: name, order: next, offset: undefined }), {
    class: 'link',
    'data-name': `sort ${name}`,
    'aria-label': `Sort by ${name}, ${next === 'desc' ? 'descending' : 'ascending'}`,
  })
  return make(
    'th',
    { scope: 'col', 'aria-sort': isSorted && direction },
    sort,
    isSorted && sign(direction, '', 'quiet'),
  )
}

function recordRow(key, record, [id, ...columns], query, isAdded) {
  const link = make(
    'a',
    {
      href: linkTo('state', { ...query, add: undefined, record: key }),
      'data-name': key,
      'aria-current': key === query.record && 'true',
    },
    make('bdi', String(record[id])),
  )
  return make(
    'tr',
    { class: key === query.record && 'selected' },
    make('th', { scope: 'row' }, link, isAdded && sign('added', 'added', 'good mark-of-row')),
    ...columns.map((name) => cell(record[name])),
  )
}

const changesRow = (changes, width) =>
  make(
    'tr.changed',
    make('td', { colspan: width }, make('div', sign('changed', 'changed', 'warn strong'), fieldChanges(changes))),
  )

function cell(value) {
  if (value === undefined) return make('td.absent', '–')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.trim() === '') return make('td.absent', text === '' ? 'empty' : 'only spaces')
  return make('td', make('bdi', text))
}
