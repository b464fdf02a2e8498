/** A JSON value as a tree that can be expanded, with the places that break the contract. */
import type { JSX } from 'preact'

import { useFirst } from './controls.js'
import { counted, ViolationText } from './texts.js'

/** A place in a JSON value that breaks the contract. It is shown there, or at the nearest existing parent. */
export type Mark = { readonly path: readonly (string | number)[]; readonly message: string; readonly severity: string }

export const JsonTree = ({ marks = [], value }: { value: unknown; marks?: readonly Mark[] }) => (
  <div class="tree">
    <JsonNode value={value} marks={marks} depth={0} />
  </div>
)

type JsonNodeProps = { name?: string; value: unknown; marks: readonly Mark[]; depth: number }

function JsonNode({ depth, marks, name, value }: JsonNodeProps): JSX.Element {
  const isTree = typeof value === 'object' && value !== null
  const entries: [string, unknown][] = isTree ? Object.entries(value) : []
  const [shown, more] = useFirst(entries, 100)
  const isInside = ({ path }: Mark): boolean => isTree && path.length > 0 && Object.hasOwn(value, String(path[0]))
  const inside = (key: string): readonly Mark[] =>
    marks.flatMap((mark) =>
      isInside(mark) && String(mark.path[0]) === key ? { ...mark, path: mark.path.slice(1) } : [],
    )
  const own = marks
    .filter((mark) => !isInside(mark))
    .map(({ message, severity }) => <ViolationText severity={severity} message={message} />)
  const label = name !== undefined && (
    <bdi>
      <b>{name}</b>:{' '}
    </bdi>
  )
  if (!isTree)
    return (
      <div class={own.length > 0 ? 'marked' : undefined}>
        {label}
        <span class="value" dir="auto">
          {JSON.stringify(value)}
        </span>
        {own}
      </div>
    )
  const size = Array.isArray(value)
    ? `[ ${counted(entries.length, 'item')} ]`
    : `{ ${counted(entries.length, 'property', 'properties')} }`
  return (
    <details open={depth < 2 || marks.length > 0}>
      <summary>
        {label}
        <span class="quiet">{size}</span>
      </summary>
      {own}
      <ul class="plain">
        {shown.map(([key, inner]) => (
          <li key={key}>
            <JsonNode name={key} value={inner} marks={inside(key)} depth={depth + 1} />
          </li>
        ))}
        {more && <li>{more}</li>}
      </ul>
    </details>
  )
}
