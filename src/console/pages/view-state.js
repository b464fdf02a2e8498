/** The records of the collections: a table with one page, the editor of one record, and the changes since the last reset. */
import { ask, withQuery } from './api.js'
import { button, enable, field, fillSelect, optionsOf, select } from './controls.js'
import { counted, focusOr, make, onChange, onEscape, replaceChildren, showText, sign } from './dom.js'
import { createRecordEditor } from './record-editor.js'
import { goTo, linkTo, referenceLinks } from './route.js'

const pageSize = 50

/** Maximum number of records that are listed for each kind of change. */
const changesSize = 20

/** Maximum length of a value in the table, in characters. */
const cutAt = 100

export function createStateView(app) {
  const collection = select({ name: 'collection' }, [])
  const caller = select({ name: 'caller' }, [])
  const text = make('input', { name: 'q', type: 'search', autocomplete: 'off' })
  const form = make(
    'form.fields',
    { 'aria-label': 'Filter' },
    field('Collection', collection),
    field('Visible to', caller),
    field('Text', text),
  )
  const summary = make('p', { role: 'status' })
  const table = make('table.records')
  const region = make('div.wide', { role: 'region', 'aria-label': 'Table of records', tabindex: '0' }, table)
  const previous = button('Previous page', () => page(-1))
  const next = button('Next page', () => page(1))
  const add = button('Add a record', () => goTo('state', { ...query, record: undefined, add: 'true' }))
  const reference = make('p.quiet')
  const showReference = onChange((names) =>
    reference.replaceChildren('Open the API reference', ...referenceLinks(names)),
  )
  const changeList = createDiff()
  const editor = createRecordEditor(app, () => close())
  const element = make(
    'div.split',
    make(
      'section.panel',
      { 'aria-label': 'Records' },
      form,
      make('div.row', summary, add),
      region,
      make('div.row', previous, next),
      reference,
      changeList.element,
    ),
    editor.element,
  )
  let query = {}
  let matched = 0
  let known = ''

  function page(by) {
    const offset = Number(query.offset ?? 0) + by * pageSize
    if (offset > -pageSize && offset < matched) goTo('state', { ...query, offset: String(Math.max(0, offset)) })
  }

  const close = () => goTo('state', { ...query, add: undefined, record: undefined })

  onEscape(element, close)
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', () => {
    const wanted = Object.fromEntries(new FormData(form))
    const isOther = wanted.collection !== collection.dataset.shown
    const kept = isOther ? {} : { sort: query.sort, order: query.order, record: query.record }
    goTo('state', { ...wanted, ...kept }, { replace: true })
  })

  return {
    element,
    async show(wanted) {
      const { callers, collections } = await app.contract()
      const names = collections.map(({ name }) => name)
      const { collection: named } = wanted
      const found = collections.find(({ name }) => name === named)
      const model = found ?? collections[0]
      if (named !== undefined && !found)
        showText(summary, `There is no collection ${named}. The contract has ${names.join(', ') || 'none'}.`)
      if (!model) {
        showText(summary, 'The contract has no collection. Every operation is mocked.')
        for (const part of [form, add, region, previous, next]) part.hidden = true
        return
      }
      query = { ...wanted, collection: model.name }
      const callerNames = Object.keys(callers)
      fillSelect(collection, optionsOf(names))
      fillSelect(caller, optionsOf(callerNames, 'everyone'))
      showReference(callerNames)
      collection.dataset.shown = model.name
      for (const control of [collection, caller, text])
        if (control !== document.activeElement) control.value = query[control.name] ?? ''
      const { caller: visibleTo, offset, order, q, sort } = query
      const filter = { collection: model.name, caller: visibleTo, q, sort, order: sort && order, offset }
      const [listed, changes] = await Promise.all([
        ask(withQuery('records', { ...filter, limit: pageSize, cutAt })),
        ask(withQuery('state/diff', { limit: changesSize, cutAt })),
      ])
      // An unchanged table is not replaced, so that it keeps the focus.
      const shown = JSON.stringify([listed, query])
      if (shown !== known) showRecords(table, listed.records, model.id, query)
      known = shown
      region.hidden = listed.records.length === 0
      const first = Number(offset ?? 0)
      if (!named || found) showText(summary, describe(listed, first, model.name))
      matched = listed.matched
      enable(previous, first > 0)
      enable(next, first + pageSize < matched)
      changeList.show(changes)
      const left = editor.element.contains(document.activeElement) ? editor.record() : undefined
      await editor.show(query, model)
      // A closed editor loses the focus.
      if (left !== undefined && editor.element.hidden)
        focusOr([...table.querySelectorAll('tbody a')].find((link) => link.dataset.name === left) ?? add)
    },
  }
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

/** Creates the list of changed records, with links to those that still exist. */
function createDiff() {
  const element = make('section.stack', { 'aria-label': 'Changes' })
  return {
    element,
    show: onChange(({ collections, fixture }) => {
      const origin = fixture === null ? 'the state was replaced' : `the reset to ${fixture}`
      const changes = Object.entries(collections).flatMap(([name, diff]) => collectionChanges(name, diff))
      replaceChildren(element, [
        make('h3', changes.length === 0 ? `Nothing changed since ${origin}` : `Changed since ${origin}`),
        ...changes,
      ])
    }),
  }
}

/** Creates the view of the changed fields of a record. @param {Record<string, { before?: unknown, after?: unknown }>} changes - By field. */
const fieldChanges = (changes) =>
  make(
    'dl.pairs',
    ...Object.entries(changes).flatMap(([name, change]) => [
      make('dt', make('bdi', name)),
      make('dd', side('before', change, 'del'), ' ', side('after', change, 'ins')),
    ]),
  )

function collectionChanges(name, { added, changed, counts, removed }) {
  const link = (key) => make('a', { href: linkTo('state', { collection: name, record: key }) }, make('bdi', key))
  return [
    kind(name, 'removed', 'bad', counts, removed, (key) => make('code', key)),
    kind(name, 'added', 'good', counts, added, link),
    kind(name, 'changed', 'warn', counts, Object.keys(changed), link),
  ].filter(Boolean)
}

function kind(name, word, color, counts, keys, item) {
  const count = counts[word]
  if (count === 0) return undefined
  const cut = count > keys.length ? `, the first ${keys.length}` : ''
  return make(
    'div',
    make('p', sign(word, `${name}: ${counted(count, 'record')} ${word}${cut}`, `strong ${color}`)),
    make('ul.inline', ...keys.map((key) => make('li', item(key)))),
  )
}

const side = (when, change, tag) =>
  Object.hasOwn(change, when)
    ? make(tag, {}, make('span.visually-hidden', `${when}: `), make('bdi', JSON.stringify(change[when])))
    : make('span.absent', when === 'before' ? 'was missing' : 'is missing')

/** Maximum number of columns. The editor shows all properties of a record. */
const maxColumns = 8

/**
 * @param {Element} table
 * @param {readonly { key: string, record: object, added?: true, changed?: object }[]} records - As `GET /__admin/records` lists them.
 * @param {string} id - The property that is the id, which is the first column.
 * @param {Record<string, string>} query - The URL's query: the collection, the order and the selected record.
 */
function showRecords(table, records, id, query) {
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
  const arrow = isSorted && sign(direction, '', 'quiet')
  return make('th', { scope: 'col', 'aria-sort': isSorted && direction }, sort, arrow)
}

function recordRow(key, record, [id, ...columns], query, isAdded) {
  const href = linkTo('state', { ...query, add: undefined, record: key })
  const isOpen = key === query.record
  const link = make('a', { href, 'data-name': key, 'aria-current': isOpen && 'true' }, make('bdi', String(record[id])))
  return make(
    'tr',
    { class: isOpen && 'selected' },
    make('th', { scope: 'row' }, link, isAdded && sign('added', 'added', 'good mark-of-row')),
    ...columns.map((column) => cell(record[column])),
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
