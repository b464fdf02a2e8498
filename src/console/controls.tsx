/** What the user operates: buttons, forms, copies, lists, and the selected entry of one. */
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import { notice } from './live.js'
import { goTo, linkWith, route } from './route.js'
import { Heard, ProblemText } from './texts.js'

/** Runs actions. The text that one returns is the notice of the page. @returns The error of the last one, and a function that runs one. */
function useAction() {
  const [error, setError] = useState<unknown>()
  const run = async (action: () => unknown): Promise<void> => {
    try {
      notice.value = ''
      const done = await action()
      if (typeof done === 'string') notice.value = done
      setError(undefined)
    } catch (refusal) {
      setError(refusal)
    }
  }
  return [error, run] as const
}

interface ButtonProps {
  readonly label: ComponentChildren
  /** The thing that it acts on, for screen readers. */
  readonly of?: string
  /** The action. A text that it returns is the notice of the page. */
  readonly press: () => unknown
  readonly disabled?: boolean
  readonly class?: 'cut' | 'link' | 'primary'
  readonly title?: string
  readonly 'aria-label'?: string
  readonly 'aria-pressed'?: boolean
}

/** A button that says next to it why its action failed. A disabled one keeps the focus. */
export function Button({ disabled = false, label, of, press, ...others }: ButtonProps) {
  const [error, act] = useAction()
  return (
    <>
      <button type="button" aria-disabled={disabled} {...others} onClick={() => void (disabled || act(press))}>
        {label}
        {of !== undefined && <Heard> {of}</Heard>}
      </button>
      <ProblemText error={error} />
    </>
  )
}

interface FormProps {
  readonly label: string
  /** The text of its button. */
  readonly button: string
  readonly action: () => unknown
  readonly children: ComponentChildren
  /** Buttons next to its own. */
  readonly others?: ComponentChildren
}

/** A form that says why its action failed. Ctrl+S submits it. */
export function Form({ action, button, children, label, others }: FormProps) {
  const [error, act] = useAction()
  return (
    <form
      class="stack"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void act(action)
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
    >
      {children}
      <ProblemText error={error} />
      <div class="row">
        <button class="primary">{button}</button>
        {others}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
  readonly name?: string
  /** The values to choose from. Default: a text is entered. */
  readonly options?: readonly string[]
  /** The text of a first option without a value. */
  readonly none?: string
  /** Number of lines of a long text. */
  readonly rows?: number
  /** Texts to choose from. Others can be entered, too. */
  readonly suggestions?: readonly string[]
  readonly hint?: string
  readonly placeholder?: string
  readonly type?: 'password' | 'search' | 'text'
  readonly autofocus?: boolean
}

/** An input with its label: a list to choose from, a long text or a short one. */
export function Field({ hint, label, none, options, rows, set, suggestions, type = 'text', ...others }: FieldProps) {
  const id = useId()
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    set(currentTarget.value)
  const list = (options ?? suggestions)?.map((value) => <option key={value}>{value}</option>)
  const input = { ...others, onInput, autocomplete: 'off' as const }
  return (
    <label class="field">
      <span>{label}</span>
      {options && (
        <select value={others.value} onChange={onInput}>
          {none !== undefined && <option value="">{none}</option>}
          {list}
        </select>
      )}
      {rows && <textarea {...input} rows={rows} spellcheck={false} />}
      {type === 'password' && <input {...input} type={type} />}
      {type !== 'password' && !options && !rows && <input {...input} type={type} list={suggestions && id} />}
      {suggestions && <datalist id={id}>{list}</datalist>}
      {hint !== undefined && <span class="quiet">{hint}</span>}
    </label>
  )
}

type FilterField = Pick<FieldProps, 'label' | 'none' | 'options' | 'type'> & { readonly name: string }

/** The fields of a filter, which acts on each input. Their values are in the query of the URL. */
export const FilterForm = ({ children, fields }: { fields: readonly FilterField[]; children?: ComponentChildren }) => (
  <form class="fields" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
    {children}
    {fields.map((field) => (
      <Field
        key={field.name}
        {...field}
        value={route.value.query[field.name] ?? ''}
        set={(value) => goTo(linkWith({ offset: undefined, [field.name]: value }), true)}
      />
    ))}
  </form>
)

/** Returns the first items of a list, and a button that adds as many to them. */
export function useFirst<T>(list: readonly T[], count: number) {
  const [shown, setShown] = useState(count)
  const more = Math.min(count, list.length - shown)
  const button = more > 0 && <Button label={`Show ${more} more`} press={() => setShown(shown + count)} />
  return [list.slice(0, shown), button] as const
}

interface DetailProps {
  readonly label: string
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  /** True if its title gets the focus when it is opened. */
  readonly isFocused?: boolean
}

/** The selected entry of a list, next to it. Escape closes it. */
export function Detail({ children, close, isFocused = false, label, title }: DetailProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // In a narrow window, the list is hidden.
    if (isFocused || matchMedia('(max-width: 61.99rem)').matches) heading.current?.focus()
  }, [])
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent): void => {
      if (key === 'Escape' && !(target instanceof Element && target.matches('input, select, textarea'))) close()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <section class="panel detail" aria-label={label}>
      <div class="row apart">
        <h3 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h3>
        <Button label="Close" press={close} />
      </div>
      {children}
    </section>
  )
}

/** Copies a text. Browsers allow that on loopback and over TLS only. @returns False: it is not copied. */
export const copyText = async (text: string): Promise<boolean> =>
  isSecureContext && (await navigator.clipboard.writeText(text).catch(() => false)) === undefined

/** A text with a button that copies it. Where browsers do not copy, the text is selected. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const id = useId()
  const [done, setDone] = useState('Copy')
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text)
    if (!isSecureContext) getSelection()?.selectAllChildren(document.getElementById(id) ?? document.body)
    setDone(isCopied ? 'Copied' : isSecureContext ? 'Not copied' : 'Selected')
    setTimeout(() => setDone('Copy'), 1500)
  }
  return (
    <div class="row copyable">
      <pre>
        <code id={id}>{text}</code>
      </pre>
      <Button label={done} of={label} press={copy} />
    </div>
  )
}

/** A region that scrolls, also by keyboard. */
export const Wide = ({ children, label }: { label: string; children: ComponentChildren }) => (
  <div class="wide" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
)

/** Moves the focus from a link of a list to the one before or after it, by the arrow keys, Home and End. */
export function moveByArrows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.findIndex((link) => link === document.activeElement)
  const wanted = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: links.length - 1 }[event.key]
  const link = wanted === undefined ? undefined : links[wanted]
  if (!link) return
  event.preventDefault()
  link.focus()
}
