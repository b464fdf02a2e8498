/** The records of a collection: a table with one page, the editor of one record, and the changes since the last reset. */
import { useEffect, useRef, useState } from 'preact/hooks'

import type { Explanation } from '../resources/explanation.js'
import type { RecordChanges } from '../resources/records/diff-types.js'
import { ask, snapshot, addQuery } from './api.js'
import { cutAt, Properties, StateChanges } from './changes.js'
import { refresh, useData } from './live.js'
import {
  Button,
  counted,
  FilterForm,
  ProblemText,
  Select,
  Sign,
  sortedOnce,
  TextField,
  useAction,
  Wide,
} from './parts.js'
import { RecordEditor } from './record.js'
import { goTo, linkTo, route, shownRun } from './route.js'

const pageSize = 50

/** A record as `GET /records` lists it. */
interface ListedRecord {
  readonly key: string
  readonly record: Readonly<Record<string, unknown>>
  readonly added?: true
  readonly changed?: RecordChanges
}

interface RecordPage {
  readonly total: number
  readonly matched: number
  readonly records: readonly ListedRecord[]
}

interface StateProps {
  readonly contract: Explanation
  readonly callers: readonly string[]
  readonly isDropped: boolean
}

/** Removes or restores records of the shown run. */
async function changeRecords(
  collection: string,
  body: { readonly remove?: readonly string[]; readonly restore?: readonly string[] },
) {
  await ask(addQuery('record-changes', { collection }), { run: shownRun.value, method: 'POST', body })
  refresh()
}

export function StateView({ callers, contract, isDropped }: StateProps) {
  const { query } = route.value
  const { add, caller, collection: named, field, offset = '0', order, q, record, sort } = query
  const model = named === undefined ? contract.collections[0] : contract.collections.find(({ name }) => name === named)
  const names = contract.collections.map(({ name }) => name)
  const filter = {
    collection: model?.name,
    caller,
    q,
    field: q === undefined ? undefined : field,
    sort,
    order: sort && order,
    offset,
  }
  const { error, value } = useData<RecordPage>(
    model && !snapshot ? addQuery('records', { ...filter, limit: pageSize, cutAt }) : undefined,
  )
  // The table stays while another page of it is requested.
  const last = useRef<{ readonly name: string; readonly page: RecordPage } | undefined>(undefined)
  if (value && model) last.current = { name: model.name, page: value }
  const page = value ?? (last.current?.name === model?.name ? last.current?.page : undefined)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [problem, act] = useAction()
  useEffect(() => setChosen(new Set()), [model?.name, shownRun.value])
  if (snapshot) return <StateChanges />
  if (!model)
    return (
      <p class="panel">
        {named === undefined
          ? 'The contract has no collection. Every operation is mocked.'
          : `There is no collection ${named}. The contract has ${names.join(', ') || 'none'}.`}
      </p>
    )
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo('state', { ...query, offset: undefined, ...changes }, true)
  const isEditing = record !== undefined || add !== undefined
  const records = page?.records ?? []
  const first = Number(offset)
  const columns = [...new Set([model.id, ...records.flatMap((each) => Object.keys(each.record))])]
  const turn = (key: string): void => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    setChosen(next)
  }
  const removeChosen = async (): Promise<void> => {
    await changeRecords(model.name, { remove: [...chosen] })
    setChosen(new Set())
  }
  const pageBy = (by: number): void => goTo('state', { ...query, offset: String(first + by * pageSize) })
  return (
    <div
      class={`split ${isEditing ? 'has-detail' : ''}`}
      onKeyDown={({ key, target }) => {
        const isTyping = target instanceof Element && target.matches('input, select, textarea')
        if (key === 'Escape' && isEditing && !isTyping) goTo('state', { ...query, record: undefined, add: undefined })
      }}
    >
      <section class="panel" aria-label="Records">
        <FilterForm>
          <Select
            label="Collection"
            value={model.name}
            options={names}
            choose={(name) => goTo('state', { collection: name }, true)}
          />
          <Select
            label="Visible to"
            none="everyone"
            value={caller ?? ''}
            options={callers}
            choose={(name) => set({ caller: name })}
          />
          <TextField label="Text" type="search" value={q ?? ''} set={(text) => set({ q: text || undefined })} />
          <Select
            label="In"
            none="every property"
            value={field ?? ''}
            options={sortedOnce(columns)}
            choose={(name) => set({ field: name || undefined })}
          />
        </FilterForm>
        <div class="row">
          <p role="status">{page && describe(page, first, model.name)}</p>
          {!isDropped && (
            <>
              <a class="button" href={linkTo('state', { ...query, record: undefined, add: 'true' })}>
                Add a record
              </a>
              <Button disabled={chosen.size === 0} press={() => act(removeChosen)}>
                Delete {chosen.size === 0 ? 'chosen' : counted(chosen.size, 'record')}
              </Button>
            </>
          )}
        </div>
        <ProblemText error={problem ?? error} />
        {records.length > 0 && (
          <Wide label="Table of records">
            <table class="records">
              <caption class="visually-hidden">Records of {model.name}</caption>
              <thead>
                <tr>
                  {!isDropped && (
                    <th>
                      <input
                        type="checkbox"
                        aria-label="Choose all of the page"
                        checked={records.every(({ key }) => chosen.has(key))}
                        onChange={({ currentTarget }) =>
                          setChosen(new Set(currentTarget.checked ? records.map(({ key }) => key) : []))
                        }
                      />
                    </th>
                  )}
                  {columns.map((name) => (
                    <Heading key={name} name={name} />
                  ))}
                </tr>
              </thead>
              <tbody>
                {records.map((each) => (
                  <Row
                    key={each.key}
                    listed={each}
                    columns={columns}
                    isOpen={each.key === record}
                    isChosen={chosen.has(each.key)}
                    turn={isDropped ? undefined : turn}
                  />
                ))}
              </tbody>
            </table>
          </Wide>
        )}
        {page && page.matched > pageSize && (
          <div class="row">
            <Button disabled={first === 0} press={() => pageBy(-1)}>
              Previous page
            </Button>
            <Button disabled={first + pageSize >= page.matched} press={() => pageBy(1)}>
              Next page
            </Button>
          </div>
        )}
        <StateChanges
          restore={
            isDropped ? undefined : (collection, key) => act(async () => changeRecords(collection, { restore: [key] }))
          }
        />
      </section>
      {isEditing && (
        <RecordEditor
          key={`${shownRun.value} ${model.name} ${record ?? ''}`}
          collection={model.name}
          id={model.id}
          recordKey={record}
          isDropped={isDropped}
        />
      )}
    </div>
  )
}

function describe({ matched, records, total }: RecordPage, first: number, name: string): string {
  if (total === 0) return `${name} has no records.`
  if (matched === 0) return `None of ${counted(total, 'record')} of ${name} matches the filter.`
  const range =
    records.length === 0
      ? 'none'
      : `${(first + 1).toLocaleString('en')} to ${(first + records.length).toLocaleString('en')}`
  const all =
    matched === total
      ? counted(total, 'record')
      : `${matched.toLocaleString('en')} that match, ${counted(total, 'record')} in all`
  return `${name}: ${range} of ${all}.`
}

function Heading({ name }: { name: string }) {
  const { query } = route.value
  const isSorted = query['sort'] === name
  const isDescending = query['order'] === 'desc'
  const next = isSorted && !isDescending ? 'desc' : 'asc'
  const direction = isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={isSorted ? direction : undefined}>
      <Button
        class="link"
        aria-label={`Sort by ${name}, ${next === 'desc' ? 'descending' : 'ascending'}`}
        press={() => goTo('state', { ...query, sort: name, order: next, offset: undefined })}
      >
        {name} {isSorted && <Sign picture={direction} />}
      </Button>
    </th>
  )
}

interface RowProps {
  readonly listed: ListedRecord
  readonly columns: readonly string[]
  readonly isOpen: boolean
  readonly isChosen: boolean
  /** Undefined: the records can only be read. */
  readonly turn: ((key: string) => void) | undefined
}

function Row({
  columns: [id = '', ...columns],
  isChosen,
  isOpen,
  listed: { added, changed, key, record },
  turn,
}: RowProps) {
  const { query } = route.value
  const value = record[id]
  const shownId = typeof value === 'string' || typeof value === 'number' ? value : key
  return (
    <>
      <tr class={isOpen ? 'selected' : undefined}>
        {turn && (
          <td>
            <input type="checkbox" aria-label={`Choose ${key}`} checked={isChosen} onChange={() => turn(key)} />
          </td>
        )}
        <th scope="row">
          <a
            href={linkTo('state', { ...query, add: undefined, record: key })}
            aria-current={isOpen ? 'true' : undefined}
          >
            <bdi>{shownId}</bdi>
          </a>{' '}
          {added && (
            <Sign picture="added" class="good">
              added
            </Sign>
          )}
        </th>
        {columns.map((column) => (
          <Cell key={column} value={record[column]} />
        ))}
      </tr>
      {changed && (
        <tr class="changed">
          <td colSpan={columns.length + (turn ? 2 : 1)}>
            <div>
              <Sign picture="changed" class="warn strong">
                changed
              </Sign>
              <Properties changes={changed} />
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

function Cell({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (value === undefined || text.trim() === '')
    return <td class="absent">{value === undefined ? '–' : text === '' ? 'empty' : 'only spaces'}</td>
  return (
    <td title={text}>
      <bdi>{text}</bdi>
    </td>
  )
}
