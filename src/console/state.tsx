/** The records of a collection: a table with one page, the editor of one record, and the changes since the last reset. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import type { ListedRecord, RecordPage } from '../control/page-types.js'
import { addQuery, snapshot } from './api.js'
import { changeRecords, cutAt, StateChanges } from './changes.js'
import { Button, FilterForm, Wide } from './controls.js'
import { isEnded, useData } from './live.js'
import { RecordEditor } from './record.js'
import { goTo, linkTo, linkWith, route, shownRun, type ViewProps } from './route.js'
import { counted, ProblemText, Sign, sortedOnce, Summary } from './texts.js'

const pageSize = 50

/** The keys of the records of the shown collection that are chosen. */
const chosen = signal<ReadonlySet<string>>(new Set())

export function StateView({ callers, contract: { collections } }: ViewProps) {
  const { add, caller, collection: named, field, offset = '0', order, q, record, sort } = route.value.query
  const model = named === undefined ? collections[0] : collections.find(({ name }) => name === named)
  const names = collections.map(({ name }) => name)
  const query = { collection: model?.name, caller, q, field: q && field, sort, order: sort && order, offset }
  const { error, value } = useData<RecordPage>(
    model && !snapshot ? addQuery('records', { ...query, limit: pageSize, cutAt }) : undefined,
  )
  // The table stays while another page of it is requested.
  const last = useRef<{ readonly name: string; readonly page: RecordPage } | undefined>(undefined)
  if (value && model) last.current = { name: model.name, page: value }
  const page = value ?? (last.current?.name === model?.name ? last.current?.page : undefined)
  useEffect(() => void (chosen.value = new Set()), [model?.name, shownRun.value])
  if (snapshot) return <StateChanges />
  if (names.length === 0) return <p class="panel">The contract has no collection. Every operation is mocked.</p>
  if (!model) return <p class="panel">{`There is no collection ${named}. The contract has ${names.join(', ')}.`}</p>
  const records = page?.records ?? []
  const first = Number(offset)
  const columns = [...new Set([model.id, ...records.flatMap((each) => Object.keys(each.record))])]
  const removeChosen = async (): Promise<string> => {
    const done = await changeRecords(model.name, 'remove', [...chosen.value])
    chosen.value = new Set()
    return done
  }
  const openCollection = (collection: string): void => goTo(linkTo('state', { collection }), true)
  const pageButton = (label: string, to: number) => (
    <Button
      label={label}
      disabled={to < 0 || to >= (page?.matched ?? 0)}
      press={() => goTo(linkWith({ offset: String(to) }))}
    />
  )
  return (
    <div class="columns">
      <section class="panel" aria-label="Records">
        <FilterForm
          fields={[
            { label: 'Collection', name: 'collection', options: names, value: model.name, set: openCollection },
            { label: 'Visible to', name: 'caller', none: 'everyone', options: callers },
            { label: 'Text', name: 'q', type: 'search' },
            { label: 'In', name: 'field', none: 'every property', options: sortedOnce(columns) },
          ]}
        />
        <div class="row apart">
          <Summary text={page ? describe(page, first, model.name) : ''} />
          {!isEnded.value && (
            <div class="row">
              <a class="button" href={linkWith({ record: undefined, add: 'true' })}>
                Add a record
              </a>
              <Button
                label={`Delete ${chosen.value.size === 0 ? 'chosen' : counted(chosen.value.size, 'record')}`}
                disabled={chosen.value.size === 0}
                press={removeChosen}
                data-next="undo"
              />
            </div>
          )}
        </div>
        <ProblemText error={error} />
        {records.length > 0 && <RecordTable name={model.name} columns={columns} records={records} />}
        {page && page.matched > pageSize && (
          <div class="row">
            {pageButton('Previous page', first - pageSize)}
            {pageButton('Next page', first + pageSize)}
          </div>
        )}
        <StateChanges />
      </section>
      {(record ?? add) !== undefined && (
        <RecordEditor key={`${shownRun.value} ${model.name} ${record ?? ''}`} model={model} recordKey={record} />
      )}
    </div>
  )
}

function describe({ matched, records, total }: RecordPage, first: number, name: string): string {
  if (total === 0) return `${name} has no records.`
  if (matched === 0) return `None of ${counted(total, 'record')} of ${name} matches the filter.`
  const range = `${(first + 1).toLocaleString('en')} to ${(first + records.length).toLocaleString('en')}`
  const matching = matched === total ? '' : `${matched.toLocaleString('en')} that match, `
  return `${name}: ${records.length === 0 ? 'none' : range} of ${matching}${counted(total, 'record')}${matching && ' in all'}.`
}

type TableProps = { name: string; columns: readonly string[]; records: readonly ListedRecord[] }

/** @param columns - The names of the properties. The first one is the id. */
function RecordTable({ columns, name, records }: TableProps) {
  const keys = records.map(({ key }) => key)
  return (
    <Wide label={`Records of ${name}`}>
      <table class="records">
        <thead>
          <tr>
            {!isEnded.value && (
              <th>
                <input
                  type="checkbox"
                  aria-label="Choose all of the page"
                  checked={keys.every((key) => chosen.value.has(key))}
                  onChange={({ currentTarget }) => (chosen.value = new Set(currentTarget.checked ? keys : []))}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column} name={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((each) => (
            <Row key={each.key} listed={each} columns={columns} />
          ))}
        </tbody>
      </table>
    </Wide>
  )
}

function Heading({ name }: { name: string }) {
  const { order, sort } = route.value.query
  const direction = sort !== name ? undefined : order === 'desc' ? 'descending' : 'ascending'
  const next = direction === 'ascending' ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={direction}>
      <Button
        class="link"
        aria-label={`Sort by ${name}, ${next}`}
        label={direction ? <Sign kind={direction}>{name}</Sign> : name}
        press={() => goTo(linkWith({ sort: name, order: next === 'ascending' ? 'asc' : 'desc', offset: undefined }))}
      />
    </th>
  )
}

function Row({ columns: [id = '', ...columns], listed }: { columns: readonly string[]; listed: ListedRecord }) {
  const { added, changed, key, record } = listed
  const isOpen = key === route.value.query['record']
  const kind = added ? 'added' : changed && 'changed'
  const value = record[id]
  const turn = (): void => void (chosen.value = chosen.value.symmetricDifference(new Set([key])))
  return (
    <tr class={isOpen ? 'selected' : undefined}>
      {!isEnded.value && (
        <td>
          <input type="checkbox" aria-label={`Choose ${key}`} checked={chosen.value.has(key)} onChange={turn} />
        </td>
      )}
      <th scope="row">
        <a href={linkWith({ add: undefined, record: key })} aria-current={isOpen ? 'true' : undefined}>
          <bdi>{typeof value === 'string' || typeof value === 'number' ? value : key}</bdi>
        </a>{' '}
        {kind && <Sign kind={kind}>{kind}</Sign>}
      </th>
      {columns.map((column) => (
        <Cell key={column} value={record[column]} />
      ))}
    </tr>
  )
}

function Cell({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (value === undefined) return <td class="quiet">–</td>
  if (text.trim() === '') return <td class="quiet">{text === '' ? 'empty' : 'only spaces'}</td>
  return (
    <td title={text}>
      <bdi>{text}</bdi>
    </td>
  )
}
