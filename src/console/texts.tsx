/** What the page says: signs, statuses, problems, names and values. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { errorText } from './api.js'

/** The colour of each kind of sign, and its picture: a path in a square of 16 by 16. It is SVG, because many fonts lack such characters. */
const signs = {
  ok: ['good', 'M3 8.5l3.5 3.5L13 4.5'],
  error: ['bad', 'M4 4l8 8M12 4l-8 8'],
  warning: ['warn', 'M8 2.5l6 11H2ZM8 6.5v3M8 11.5v.01'],
  fault: ['warn', 'M9 2L4 9h4l-1 5 5-7H8Z'],
  live: ['good', 'M8 6v4M6 8h4M8 5a3 3 0 1 0 .01 0Z'],
  paused: ['quiet', 'M6 4v8M10 4v8'],
  ascending: ['', 'M4 10l4-4 4 4'],
  descending: ['', 'M4 6l4 4 4-4'],
  added: ['good', 'M8 3v10M3 8h10'],
  removed: ['bad', 'M3 8h10'],
  changed: ['warn', 'M3 13l1-3.5L10.5 3 13 5.5 6.5 12Z'],
  never: ['quiet', 'M8 4a4 4 0 1 0 .01 0Z'],
} as const

export type SignKind = keyof typeof signs

/** A picture, which screen readers do not see, with its meaning in words. @param props.heard - For screen readers alone. */
export const Sign = (props: { kind: SignKind; heard?: string; isCut?: boolean; children?: ComponentChildren }) => (
  <span class={`${signs[props.kind][0]} ${props.isCut ? 'cut' : ''}`}>
    <svg class="picture" viewBox="0 0 16 16" aria-hidden="true">
      <path d={signs[props.kind][1]} />
    </svg>
    {props.heard && <Heard>{props.heard} </Heard>}
    {props.children}
  </span>
)

/** A text for screen readers alone. */
export const Heard = (props: { role?: 'status'; children: ComponentChildren }) => (
  <span class="visually-hidden" {...props} />
)

/** The status of a response: its colour repeats what its first digit says. */
export const Status = ({ status }: { status: number | null }) => (
  <span class={`status ${colors[String(status)[0] ?? ''] ?? 'bad'}`}>{status ?? 'no response'}</span>
)

/** The colours by the first digit of the status. */
const colors: Readonly<Record<string, string>> = { 1: 'quiet', 2: 'good', 3: 'quiet', 4: 'warn' }

/** The message of an error, or of a text that is no error. Nothing if there is none. */
export const ProblemText = ({ error }: { error: unknown }) =>
  error === undefined || error === '' ? null : (
    <p class="problem" role="alert">
      {typeof error === 'string' ? error : errorText(error)}
    </p>
  )

/** What breaks the contract, or is probably a mistake, with more about it. */
export const ViolationText = (props: { severity: string; message: string; children?: ComponentChildren }) => (
  <div class={props.severity === 'Error' ? 'problem' : 'warning'}>
    <Sign kind={props.severity === 'Error' ? 'error' : 'warning'}>
      <b>{props.severity}</b>
    </Sign>{' '}
    <bdi>{props.message}</bdi>
    {props.children}
  </div>
)

/** The content of a view in one sentence. Screen readers hear it at most once in five seconds. */
export function Summary({ text }: { text: string }) {
  const [heard, setHeard] = useState(text)
  const last = useRef(text)
  last.current = text
  useEffect(() => {
    const timer = setInterval(() => setHeard(last.current), 5000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <p>{text}</p>
      <Heard role="status">{heard}</Heard>
    </>
  )
}

/** Names and values. Those without a value are left out. */
export const Pairs = ({ list }: { list: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="pairs">
    {list.map(([name, value = null]) => value !== null && [<dt class="quiet">{name}</dt>, <dd dir="auto">{value}</dd>])}
  </dl>
)

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Sorts texts as a reader expects, and leaves out repeated ones. */
export const sortedOnce = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].toSorted((one, other) => one.localeCompare(other, 'en'))
