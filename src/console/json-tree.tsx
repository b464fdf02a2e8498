/** A JSON value as a tree that can be expanded, with the places that break the contract. */
import type { JSX } from 'preact'

import { counted, Sign, useFirst } from './parts.js'

/** A place in a JSON value that breaks the contract. It is shown there, or at the nearest existing parent. */
export interface Mark {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly severity: string
}

export const JsonTree = ({ marks = [], value }: { value: unknown; marks?: readonly Mark[] }) => (
  <div class="tree">
    <JsonNode value={value} marks={marks} depth={0} />
  </div>
)

interface JsonNodeProps {
  readonly name?: string
  readonly value: unknown
  readonly marks: readonly Mark[]
  readonly depth: number
}

function JsonNode({ depth, marks, name, value }: JsonNodeProps): JSX.Element {
  const label = name !== undefined && (
    <>
      <b>
        <bdi>{name}</bdi>
      </b>
      {': '}
    </>
  )
  if (typeof value === 'object' && value !== null)
    return <JsonObject label={label} value={value} marks={marks} depth={depth} />
  return (
    <div class={marks.length > 0 ? 'marked' : undefined}>
      {label}
      <span class="value" dir="auto">
        {JSON.stringify(value)}
      </span>
      <Marks marks={marks} />
    </div>
  )
}

interface JsonObjectProps extends Omit<JsonNodeProps, 'name' | 'value'> {
  readonly label: JSX.Element | false
  readonly value: object
}

function JsonObject({ depth, label, marks, value }: JsonObjectProps): JSX.Element {
  const entries: [string, unknown][] = Object.entries(value)
  const [shown, more] = useFirst(entries, 100)
  const size = Array.isArray(value)
    ? `[ ${counted(entries.length, 'item')} ]`
    : `{ ${counted(entries.length, 'property', 'properties')} }`
  const isInside = ({ path }: Mark): boolean => path.length > 0 && Object.hasOwn(value, String(path[0]))
  const inside = (key: string): readonly Mark[] =>
    marks
      .filter((mark) => isInside(mark) && String(mark.path[0]) === key)
      .map((mark) => ({ ...mark, path: mark.path.slice(1) }))
  return (
    <details open={depth < 2 || marks.length > 0}>
      <summary>
        {label}
        <span class="quiet">{size}</span>
      </summary>
      <Marks marks={marks.filter((mark) => !isInside(mark))} />
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

export const Severity = ({ severity }: { severity: string }) => (
  <Sign kind={severity === 'Error' ? 'error' : 'warning'}>
    <b>{severity}</b>
  </Sign>
)

const Marks = ({ marks }: { marks: readonly Mark[] }) =>
  marks.map(({ message, severity }) => (
    <p class={severity === 'Error' ? 'problem' : 'warning'}>
      <Severity severity={severity} />: <bdi>{message}</bdi>
    </p>
  ))
