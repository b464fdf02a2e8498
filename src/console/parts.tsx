/** The parts that the views share. Data is shown as text only, never as markup. */
import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'

import { errorText } from './api.js'

/** The pictures by name: a path in a square of 16 by 16. They are SVG, because many fonts lack such characters. */
const paths = {
  ok: 'M3 8.5l3.5 3.5L13 4.5',
  error: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.5l6 11H2ZM8 6.5v3M8 11.5v.01',
  fault: 'M9 2L4 9h4l-1 5 5-7H8Z',
  live: 'M8 6v4M6 8h4M8 5a3 3 0 1 0 .01 0Z',
  paused: 'M6 4v8M10 4v8',
  ascending: 'M8 13V3M4 7l4-4 4 4',
  descending: 'M8 3v10M4 9l4 4 4-4',
  added: 'M8 3v10M3 8h10',
  removed: 'M3 8h10',
  changed: 'M3 13l1-3.5L10.5 3 13 5.5 6.5 12Z',
  never: 'M8 4a4 4 0 1 0 .01 0Z',
}

export type PictureName = keyof typeof paths

/** A picture, which screen readers do not see, with its meaning in words. */
export const Sign = (props: { picture: PictureName; class?: string | undefined; children?: ComponentChildren }) => (
  <span class={`sign ${props.class ?? ''}`}>
    <svg class="picture" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[props.picture]} />
    </svg>
    {props.children}
  </span>
)

/** The status of a response: its colour repeats what its first digit says. */
export const Status = ({ status }: { status: number | null }) => (
  <span class={`status ${colors[String(status)[0] ?? ''] ?? 'bad'}`}>{status ?? 'no response'}</span>
)

/** The colours by the first digit of the status. */
const colors: Readonly<Record<string, string>> = { 1: 'quiet', 2: 'good', 3: 'quiet', 4: 'warn' }

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'onClick' | 'disabled'> {
  readonly press: () => unknown
  readonly disabled?: boolean
}

/** A button that waits for its action. A disabled one keeps the focus. */
export const Button = ({ children, disabled = false, press, ...others }: ButtonProps) => (
  <button type="button" aria-disabled={disabled} {...others} onClick={() => void (disabled || press())}>
    {children}
  </button>
)

export const Field = ({ children, hint, label }: { label: string; hint?: string; children: ComponentChildren }) => (
  <label class="field">
    <span>{label}</span>
    {children}
    {hint !== undefined && <span class="quiet">{hint}</span>}
  </label>
)

interface TextFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly set: (value: string) => void
  readonly name?: string
  readonly type?: 'search' | 'text'
  readonly placeholder?: string
  /** The id of a list of suggestions. */
  readonly list?: string | undefined
}

export const TextField = ({ hint, label, set, type = 'text', value, ...others }: TextFieldProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    <input
      autocomplete="off"
      type={type}
      {...others}
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  </Field>
)

/** The fields of a filter, which acts on each input. */
export const FilterForm = ({ children }: { children: ComponentChildren }) => (
  <form class="fields" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
    {children}
  </form>
)

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  /** The text of a first option without a value. */
  readonly none?: string
  readonly choose: (value: string) => void
}

export const Select = ({ choose, label, none, options, value }: SelectProps) => (
  <Field label={label}>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  </Field>
)

/** The message of an error, or of a text that is no error. Nothing if there is none. */
export const ProblemText = ({ error }: { error: unknown }) =>
  error === undefined || error === '' ? null : (
    <p class="problem" role="alert">
      {typeof error === 'string' ? error : errorText(error)}
    </p>
  )

/** Runs actions. @returns The error of the last one, and a function that runs one. */
export function useAction(): readonly [error: unknown, run: (action: () => Promise<unknown>) => Promise<void>] {
  const [error, setError] = useState<unknown>()
  const run = async (action: () => Promise<unknown>): Promise<void> =>
    action().then(() => setError(undefined), setError)
  return [error, run]
}

/** A text with a button that copies it. Browsers copy on loopback and over TLS only; elsewhere, the text is selected. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const id = useId()
  const [done, setDone] = useState('Copy')
  const copy = async (): Promise<void> => {
    if (isSecureContext) await navigator.clipboard.writeText(text)
    else getSelection()?.selectAllChildren(document.getElementById(id) ?? document.body)
    setDone(isSecureContext ? 'Copied' : 'Selected')
    setTimeout(() => setDone('Copy'), 1500)
  }
  return (
    <div class="copyable">
      <pre>
        <code id={id}>{text}</code>
      </pre>
      <Button press={() => copy().catch(() => setDone('Not copied'))} aria-label={`Copy ${label}`}>
        {done}
      </Button>
    </div>
  )
}

/** A region that scrolls, also by keyboard. */
export const Wide = ({ children, label }: { label: string; children: ComponentChildren }) => (
  <div class="wide" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
)

/** Names and values. Those without a value are left out. */
export const Pairs = ({ list }: { list: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="pairs">
    {list
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </>
      ))}
  </dl>
)

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Moves the focus from a link to the one before or after it, by the arrow keys, Home and End. */
export function moveByArrows(event: KeyboardEvent, links: readonly HTMLElement[]): void {
  const at = links.findIndex((link) => link === document.activeElement)
  const wanted = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: links.length - 1 }[event.key]
  const link = wanted === undefined ? undefined : links[wanted]
  if (!link) return
  event.preventDefault()
  link.focus()
}

/** Sorts texts as a reader expects. */
export const sortedOnce = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].toSorted((one, other) => one.localeCompare(other, 'en'))

const pageSize = 100

/** A place in a JSON value that breaks the contract. It is shown there, or at the nearest existing parent. */
export interface Mark {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly severity: string
}

/** A JSON value as a tree that can be expanded. */
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
  const [shown, setShown] = useState(pageSize)
  const label = name !== undefined && (
    <>
      <span class="key">
        <bdi>{name}</bdi>
      </span>
      {': '}
    </>
  )
  if (typeof value !== 'object' || value === null)
    return (
      <div class={marks.length > 0 ? 'marked' : undefined}>
        {label}
        <span class={`value ${value === null ? 'null' : typeof value}`} dir="auto">
          {JSON.stringify(value)}
        </span>
        <Marks marks={marks} />
      </div>
    )
  const entries: [string, unknown][] = Object.entries(value)
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
        {entries.slice(0, shown).map(([key, inner]) => (
          <li key={key}>
            <JsonNode name={key} value={inner} marks={inside(key)} depth={depth + 1} />
          </li>
        ))}
        {entries.length > shown && (
          <li>
            <Button press={() => setShown(shown + pageSize)}>Show more of {entries.length.toLocaleString('en')}</Button>
          </li>
        )}
      </ul>
    </details>
  )
}

export const Severity = ({ severity }: { severity: string }) =>
  severity === 'Error' ? (
    <Sign picture="error" class="strong bad">
      {severity}
    </Sign>
  ) : (
    <Sign picture="warning" class="strong warn">
      {severity}
    </Sign>
  )

const Marks = ({ marks }: { marks: readonly Mark[] }) =>
  marks.map(({ message, severity }) => (
    <p class={severity === 'Error' ? 'mark bad' : 'mark warn'}>
      <Severity severity={severity} />: <bdi>{message}</bdi>
    </p>
  ))
