/** The records of the collections: a table with one page, and the editor of one record. */
import { ask, withQuery } from './api.js'
import {
  button,
  counted,
  enable,
  field,
  fillSelect,
  focusOr,
  make,
  onChange,
  onEscape,
  optionsOf,
  showText,
  select,
} from './dom.js'
import { createRecordEditor } from './record-editor.js'
import { showRecords } from './records-table.js'
import { goTo, referenceLinks } from './route.js'
import { createDiff } from './view-diff.js'

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
  const add = button('Add a record', () =>
    goTo('state', { ...query, collection: query.collection, record: undefined, add: 'true' }),
  )
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
    goTo(
      'state',
      { ...wanted, ...(isOther ? {} : { sort: query.sort, order: query.order, record: query.record }) },
      { replace: true },
    )
  })

  return {
    element,
    async show(wanted) {
      const { callers, collections } = await app.contract()
      const found = collections.find(({ name }) => name === wanted.collection)
      const model = found ?? collections[0]
      if (wanted.collection !== undefined && !found) {
        showText(
          summary,
          `There is no collection ${wanted.collection}. The contract has ${collections.map(({ name }) => name).join(', ') || 'none'}.`,
        )
      }
      if (!model) {
        showText(summary, 'The contract has no collection. Every operation is mocked.')
        for (const part of [form, add, region, previous, next]) part.hidden = true
        return
      }
      query = { ...wanted, collection: model.name }
      const [names, callerNames] = [collections.map(({ name }) => name), Object.keys(callers)]
      fillSelect(collection, optionsOf(names))
      fillSelect(caller, optionsOf(callerNames, 'everyone'))
      showReference(callerNames)
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
        ask(withQuery('state/diff', { limit: changesSize, cutAt })),
      ])
      // An unchanged table is not replaced, so that it keeps the focus.
      const shown = JSON.stringify([listed, query])
      if (shown !== known) showRecords(table, listed.records, model.id, query)
      known = shown
      region.hidden = listed.records.length === 0
      const first = Number(offset ?? 0)
      if (!wanted.collection || found) showText(summary, describe(listed, first, model.name))
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
