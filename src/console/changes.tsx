/** What has changed: the records by one request, and the state since the last reset. */
import type { StateDiff } from '../control/document-types.js'
import type { RecordChanges, RecordsChanged } from '../resources/records/diff-types.js'
import { addQuery, snapshot } from './api.js'
import { useData } from './live.js'
import { Button, counted, JsonTree, Pairs, Sign } from './parts.js'
import { linkTo } from './route.js'

/** The most records that are listed for each kind of change. */
const changesSize = 20

/** The most characters of a value in the table. An ellipsis says that it is cut. */
export const cutAt = 100

export const Properties = ({ changes }: { changes: RecordChanges }) => (
  <Pairs list={Object.entries(changes).map(([name, change]) => [name, <ChangedValue change={change} />])} />
)

/** A change of a property: its value before and after. */
const ChangedValue = ({ change }: { change: { readonly before?: unknown; readonly after?: unknown } }) =>
  (['before', 'after'] as const).map((when) => {
    const Tag = when === 'before' ? 'del' : 'ins'
    return Object.hasOwn(change, when) ? (
      <>
        <Tag>
          <span class="visually-hidden">{when}: </span>
          <bdi>{JSON.stringify(change[when])}</bdi>
        </Tag>{' '}
      </>
    ) : (
      <span class="absent">{when === 'before' ? 'was missing ' : 'is missing'}</span>
    )
  })

/** Joins the changed properties before and after. */
const joined = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): RecordChanges =>
  Object.fromEntries(
    Object.keys({ ...before, ...after }).map((name) => [
      name,
      {
        ...(Object.hasOwn(before, name) ? { before: before[name] } : {}),
        ...(Object.hasOwn(after, name) ? { after: after[name] } : {}),
      },
    ]),
  )

/** The records that a request has changed. */
export function RequestChanges({
  changed: { added, changed, counts, removed },
  collection,
}: {
  collection: string
  changed: RecordsChanged
}) {
  const total = counts.added + counts.changed + counts.removed
  const shown = [added, changed, removed].reduce((sum, each) => sum + Object.keys(each).length, 0)
  return (
    <section aria-label="Changes" class="stack">
      <h4>
        Changes of {collection}
        {shown < total && `, ${shown} of ${total} records`}
      </h4>
      {(['added', 'removed'] as const).flatMap((kind) =>
        Object.entries({ added, removed }[kind]).map(([key, record]) => (
          <div key={key}>
            <Sign picture={kind} class={kind === 'added' ? 'good' : 'bad'}>
              {kind} <RecordLink collection={collection} recordKey={key} />
            </Sign>
            <JsonTree value={record} />
          </div>
        )),
      )}
      {Object.entries(changed).map(([key, { after, before }]) => (
        <div key={key}>
          <Sign picture="changed" class="warn">
            changed <RecordLink collection={collection} recordKey={key} />
          </Sign>
          <Properties changes={joined(before, after)} />
        </div>
      ))}
    </section>
  )
}

const RecordLink = ({ collection, recordKey }: { collection: string; recordKey: string }) =>
  snapshot ? (
    <code>{recordKey}</code>
  ) : (
    <a href={linkTo('state', { collection, record: recordKey })}>
      <bdi>{recordKey}</bdi>
    </a>
  )

/** The changes since the last reset, with a button that takes each back. */
export function StateChanges({ restore }: { restore?: ((collection: string, key: string) => unknown) | undefined }) {
  const { value: diff } = useData<StateDiff>(addQuery('state/diff', { limit: changesSize, cutAt }))
  if (!diff) return null
  const all = Object.entries(diff.collections).flatMap(([collection, { added, changed, counts, removed }]) =>
    (
      [
        ['removed', 'bad', removed],
        ['added', 'good', added],
        ['changed', 'warn', Object.keys(changed)],
      ] as const
    ).map(([kind, color, keys]) => ({ collection, kind, color, keys, count: counts?.[kind] ?? keys.length, changed })),
  )
  const lists = all.filter(({ count }) => count > 0)
  const origin = diff.fixture === null ? 'the state was replaced' : `the reset to ${diff.fixture}`
  return (
    <section class={snapshot ? 'panel' : 'stack'} aria-label="Changes">
      <h3>{lists.length === 0 ? `Nothing changed since ${origin}` : `Changed since ${origin}`}</h3>
      {lists.map(({ changed, collection, color, count, keys, kind }) => (
        <div key={`${collection} ${kind}`}>
          <Sign picture={kind} class={`strong ${color}`}>
            {collection}: {counted(count, 'record')} {kind}
            {count > keys.length && `, the first ${keys.length}`}
          </Sign>
          <ul class="inline">
            {keys.map((key) => (
              <li key={key} class="row">
                {kind === 'removed' ? <code>{key}</code> : <RecordLink collection={collection} recordKey={key} />}
                {restore && (
                  <Button press={() => restore(collection, key)} aria-label={`Restore ${key}`}>
                    Restore
                  </Button>
                )}
                {snapshot && changed[key] && <Properties changes={changed[key]} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
