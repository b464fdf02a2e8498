/** What has changed: the records by one request, and the state since the last reset. */
import type { StateDiff } from '../control/document-types.js'
import type { PropertyChange, RecordChanges, RecordsChanged } from '../resources/records/diff-types.js'
import { addQuery, snapshot } from './api.js'
import { Button } from './controls.js'
import { JsonTree } from './json-tree.js'
import { change, isEnded, useData } from './live.js'
import { linkTo } from './route.js'
import { counted, Pairs, Sign } from './texts.js'

/** The most records that are listed for each kind of change. */
const changesSize = 20

/** The most characters of a value in the table. An ellipsis says that it is cut. */
export const cutAt = 100

/** Removes or restores records of the shown run. @returns What happened. */
export async function changeRecords(collection: string, how: 'remove' | 'restore', keys: readonly string[]) {
  await change('POST', addQuery('record-changes', { collection }), { [how]: keys })
  return `${how === 'remove' ? 'Deleted' : 'Restored'} ${keys.length > 2 ? `${keys.length} records` : keys.join(', ')}.`
}

/** The link to the requests whose target has the id of a record. Its key is the id, or JSON with the ids of its parents before it. */
export function RequestsAbout({ recordKey, text }: { recordKey: string; text: string }) {
  const id = recordKey.startsWith('["') ? (JSON.parse(recordKey) as string[]).at(-1) : recordKey
  return <a href={linkTo('requests', { q: encodeURIComponent(id ?? '') })}>{text}</a>
}

const Properties = ({ changes }: { changes: RecordChanges }) => (
  <Pairs list={Object.entries(changes).map(([name, each]) => [name, <ChangedValue {...each} />])} />
)

/** A change of a property: its value before and after. */
const ChangedValue = ({ after, before }: PropertyChange) => (
  <bdi>
    {before === undefined ? <span class="quiet">was missing</span> : <del>{JSON.stringify(before)}</del>}{' '}
    {after === undefined ? <span class="quiet">is missing</span> : <ins>{JSON.stringify(after)}</ins>}
  </bdi>
)

export function RequestChanges({ changes, collection }: { collection: string; changes: RecordsChanged }) {
  const { added, changed, counts, removed } = changes
  const list = [
    ...Object.entries(added).map(([key, record]) => ['added', key, <JsonTree value={record} />] as const),
    ...Object.entries(removed).map(([key, record]) => ['removed', key, <JsonTree value={record} />] as const),
    ...Object.entries(changed).map(([key, { after, before }]) => {
      const names = Object.keys({ ...before, ...after })
      const pairs = names.map((name) => [name, { before: before[name], after: after[name] }])
      return ['changed', key, <Properties changes={Object.fromEntries(pairs)} />] as const
    }),
  ]
  const total = counts.added + counts.changed + counts.removed
  const part = list.length < total ? `, ${list.length} of ${total} records` : ''
  return (
    <section aria-label="Changes" class="stack">
      <h4>{`Changes of ${collection}${part}`}</h4>
      {list.map(([kind, key, shown]) => (
        <div key={key}>
          <Sign kind={kind}>
            {kind} <RecordLink collection={collection} recordKey={key} />
          </Sign>
          {shown}
        </div>
      ))}
    </section>
  )
}

const RecordLink = ({ collection, recordKey }: { collection: string; recordKey: string }) => (
  <a dir="auto" href={linkTo('state', { collection, record: recordKey })}>
    {recordKey}
  </a>
)

/** The changes since the last reset, with a button that takes each back. */
export function StateChanges() {
  const { value: diff } = useData<StateDiff>(addQuery('state/diff', { limit: changesSize, cutAt }))
  if (!diff) return null
  const lists = Object.entries(diff.collections).flatMap(
    ([collection, { added, changed, counts, gone = [], removed }]) => [
      { collection, kind: 'removed' as const, keys: gone, changed, count: gone.length, also: 'added and ' },
      ...(['removed', 'added', 'changed'] as const).map((kind) => {
        const keys = { removed, added, changed: Object.keys(changed) }[kind]
        return { collection, kind, keys, changed, count: counts?.[kind] ?? keys.length, also: '' }
      }),
    ],
  )
  const found = lists.filter(({ count }) => count > 0)
  const origin = diff.fixture === null ? 'the state was set' : `the reset to ${diff.fixture}`
  return (
    <section class={snapshot ? 'panel' : 'stack'} aria-label="Changes">
      <h3>{`${found.every(({ also }) => also) ? 'Nothing changed' : 'Changed'} since ${origin}`}</h3>
      {found.map(({ also, changed, collection, count, keys, kind }) => (
        <div key={`${collection} ${also}${kind}`}>
          <Sign kind={kind}>
            {`${collection}: ${counted(count, 'record')} ${also}${kind}`}
            {count > keys.length && `, the first ${keys.length}`}
          </Sign>
          <ul class="plain list">
            {keys.map((key) => (
              <li key={key} class="row">
                {!isEnded.value && (
                  <Button
                    label={{ removed: 'Restore', added: 'Delete', changed: 'Take back' }[kind]}
                    of={key}
                    press={() => changeRecords(collection, kind === 'added' ? 'remove' : 'restore', [key])}
                  />
                )}
                {kind === 'removed' && <RequestsAbout recordKey={key} text={`${key}, its requests`} />}
                {kind !== 'removed' && <RecordLink collection={collection} recordKey={key} />}
                {changed[key] && <Properties changes={changed[key]} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
