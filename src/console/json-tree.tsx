/** A JSON value as a tree that can be expanded, with the places that break the contract. */
import type { JSX } from 'preact'

import { useFirst } from './controls.js'
import { counted, ViolationText } from './texts.js'

/** A place in a JSON value that breaks the contract. It is shown there, or at the nearest existing parent. */
export type Mark = { readonly path: readonly (string | number)[]; readonly message: string; readonly severity: string }

type TreeProps = Partial<{ name: string; marks: readonly Mark[] | undefined; depth: number; isClosed: boolean }>

/** @param depth - That of the value in the whole tree. @param isClosed - True: it is open only if it breaks the contract. */
export function JsonTree({
  depth = 0,
  isClosed,
  marks = [],
  name,
  value,
}: TreeProps & { value: unknown }): JSX.Element {
  const isTree = typeof value === 'object' && value !== null
  const entries: [string, unknown][] = isTree ? Object.entries(value) : []
  const [shown, more] = useFirst(entries, 100)
  const inside = Map.groupBy(marks, ({ path: [key] }) =>
    isTree && key !== undefined && Object.hasOwn(value, key) ? String(key) : undefined,
  )
  const own = inside.get(undefined)?.map((mark) => <ViolationText {...mark} />)
  const label = name !== undefined && <b dir="auto">{`${name}: `}</b>
  const tree = depth === 0 ? 'tree' : ''
  if (!isTree)
    return (
      <div class={own ? `${tree} marked` : tree}>
        {label}
        <span dir="auto">{JSON.stringify(value)}</span>
        {own}
      </div>
    )
  const count = entries.length
  const size = Array.isArray(value) ? counted(count, 'item') : counted(count, 'property', 'properties')
  return (
    <details class={tree} open={(depth < 2 && !isClosed) || marks.length > 0}>
      <summary>
        {label}
        <span class="quiet">{size}</span>
      </summary>
      {own}
      <ul class="plain">
        {shown.map(([key, inner]) => (
          <li key={key}>
            <JsonTree
              name={key}
              value={inner}
              marks={inside.get(key)?.map(({ path, ...mark }) => ({ ...mark, path: path.slice(1) }))}
              depth={depth + 1}
            />
          </li>
        ))}
        {more && <li>{more}</li>}
      </ul>
    </details>
  )
}
