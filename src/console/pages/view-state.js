/** The records of the collections: a table with a page of them, and one record in full. */
import { ask, withQuery } from './api.js'
import { button, counted, field, fillSelect, make, say, select } from './dom.js'
import { createRecordEditor } from './record-editor.js'
import { goTo, linkTo } from './route.js'
import { createDiff } from './view-diff.js'

/** Number of records of a page. */
const pageSize = 50

/** The most columns of the table. The record itself shows all properties. */
const maxColumns = 8

/** Longer values are cut in the table, characters. */
const cutAt = 100

export function createStateView(app) {
  const collection = select({ name: 'collection' }, [])
  const caller = select({ name: 'caller' }, [])
  const text = make('input', { name: 'q', type: 'search', autocomplete: 'off' })
  const form = make(
    'form',
    { class: 'fields', 'aria-label': 'Filter' },
    field('Collection', collection),
    field('Visible to', caller),
    field('Text', text),
  )
  const summary = make('p', { role: 'status' })
  const table = make('table', { class: 'records' })
  const previous = button('Previous page', () => page(-1))
  const next = button('Next page', () => page(1))
  const add = button('Add a record', () =>
    goTo('state', { ...query, collection: query.collection, record: undefined, add: 'true' }),
  )
  const diff = createDiff()
  const editor = createRecordEditor(app)
  const element = make(
    'div',
    { class: 'split' },
    make(
      'section',
      { class: 'panel', 'aria-label': 'Records' },
      form,
      make('div', { class: 'row' }, summary, add),
      make('div', { class: 'wide', role: 'region', 'aria-label': 'Table of records', tabindex: '0' }, table),
      make('div', { class: 'row' }, previous, next),
      diff.element,
    ),
    editor.element,
  )
  let query = {}
  let known = ''

  const page = (by) =>
    goTo('state', { ...query, offset: String(Math.max(0, Number(query.offset ?? 0) + by * pageSize)) })

  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', () => {
    const wanted = Object.fromEntries(new FormData(form))
    const isOther = wanted.collection !== collection.dataset.shown
    goTo(
      'state',
      { ...wanted, ...(isOther ? {} : { sort: query.sort, order: query.order, record: query.record }) },
      { replace: true },
    )
  })

  const heading = (name) => {
    const isSorted = query.sort === name
    const order = isSorted && query.order !== 'desc' ? 'desc' : 'asc'
    const direction = query.order === 'desc' ? 'descending' : 'ascending'
    return make(
      'th',
      { scope: 'col', 'aria-sort': isSorted && direction },
      button(
        `${name}${isSorted ? (query.order === 'desc' ? ' ▼' : ' ▲') : ''}`,
        () => goTo('state', { ...query, sort: name, order, offset: undefined }),
        { class: 'link', 'aria-label': `Sort by ${name}, ${order === 'desc' ? 'descending' : 'ascending'}` },
      ),
    )
  }

  function showTable(records, id) {
    const names = [...new Set(records.flatMap(({ record }) => Object.keys(record)))]
    const columns = [id, ...names.filter((name) => name !== id)].slice(0, maxColumns)
    table.replaceChildren(
      make('caption', { class: 'visually-hidden' }, `Records of ${query.collection}`),
      make('thead', {}, make('tr', {}, ...columns.map(heading))),
      make(
        'tbody',
        {},
        ...records.map(({ key, record }) =>
          make(
            'tr',
            { class: key === query.record && 'selected' },
            ...columns.map((name, index) =>
              index === 0
                ? make(
                    'th',
                    { scope: 'row' },
                    make(
                      'a',
                      {
                        href: linkTo('state', { ...query, add: undefined, record: key }),
                        'aria-current': key === query.record && 'true',
                      },
                      make('bdi', {}, String(record[id])),
                    ),
                  )
                : cell(record[name]),
            ),
          ),
        ),
      ),
    )
  }

  return {
    element,
    async show(wanted) {
      const { callers, collections } = await app.contract()
      const found = collections.find(({ name }) => name === wanted.collection)
      const model = found ?? collections[0]
      if (wanted.collection !== undefined && !found) {
        say(
          summary,
          `There is no collection ${wanted.collection}. The contract has ${collections.map(({ name }) => name).join(', ') || 'none'}.`,
        )
      }
      if (!model) {
        say(summary, 'The contract has no collection. Every operation is mocked.')
        for (const part of [form, add, table, previous, next]) part.hidden = true
        return
      }
      query = { ...wanted, collection: model.name }
      const options = JSON.stringify([collections.map(({ name }) => name), Object.keys(callers)])
      if (collection.dataset.options !== options) {
        collection.dataset.options = options
        fillSelect(
          collection,
          collections.map(({ name }) => ({ value: name, text: name })),
        )
        fillSelect(caller, [
          { value: '', text: 'everyone' },
          ...Object.keys(callers).map((name) => ({ value: name, text: name })),
        ])
      }
      collection.dataset.shown = model.name
      for (const control of [collection, caller, text])
        if (control !== document.activeElement) control.value = query[control.name] ?? ''
      const { caller: visibleTo, offset, order, q, sort } = query
      const [listed, changes] = await Promise.all([
        ask(
          withQuery('records', {
            collection: model.name,
            caller: visibleTo,
            q,
            sort,
            order: sort && order,
            offset,
            limit: pageSize,
            cutAt,
          }),
        ),
        ask('state/diff'),
      ])
      // The table keeps the focus while nothing changes.
      const shown = JSON.stringify([listed, query])
      if (shown !== known) showTable(listed.records, model.id)
      known = shown
      const first = Number(offset ?? 0)
      if (!wanted.collection || found) say(summary, describe(listed, first, model.name))
      previous.disabled = first === 0
      next.disabled = first + listed.records.length >= listed.matched
      diff.show(changes)
      await editor.show(query, model)
    },
  }
}

function cell(value) {
  if (value === undefined) return make('td', { class: 'absent' }, '–')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.trim() === '') return make('td', { class: 'absent' }, text === '' ? 'empty' : 'only spaces')
  return make('td', {}, make('bdi', {}, text))
}

function describe({ matched, records, total }, first, name) {
  if (total === 0) return `${name} has no records.`
  if (matched === 0) return `None of ${counted(total, 'record')} of ${name} matches the filter.`
  const range =
    records.length === 0
      ? 'none'
      : `${(first + 1).toLocaleString('en')} to ${(first + records.length).toLocaleString('en')}`
  return `${name}: ${range} of ${matched === total ? counted(total, 'record') : `${matched.toLocaleString('en')} that match, ${counted(total, 'record')} in all`}.`
}
