/** What the user operates: buttons, forms, copies, lists, and the selected entry of one. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import { useId, useState } from 'preact/hooks'

import { notice } from './live.js'
import { goTo, linkWith, route, shownRun } from './route.js'
import { Heard, ProblemText } from './texts.js'

/** Runs an action. The text that it returns is the notice of the page. @param failure - Gets its error. Empty: there was none. */
async function act(action: () => unknown, failure: Signal<unknown> = notice): Promise<void> {
  notice.value = ''
  const run = shownRun.value
  try {
    const done = await action()
    failure.value = ''
    if (typeof done === 'string' && run === shownRun.value) notice.value = done
  } catch (error) {
    failure.value = error
  }
}

/** `of` is the thing that it acts on, for screen readers. A text that `press` returns is the notice of the page. */
type ButtonProps = Pick<ComponentProps<'button'>, 'aria-label' | 'aria-pressed' | 'id'> & {
  readonly label: ComponentChildren
  readonly of?: string
  readonly press: () => unknown
  readonly disabled?: boolean
  readonly class?: 'link' | 'primary'
}

/** A button. The notice of the page says why its action failed. */
export const Button = ({ disabled = false, label, of, press, ...others }: ButtonProps) => (
  <button type="button" aria-disabled={disabled} {...others} onClick={() => void (disabled || act(press))}>
    {label}
    {of !== undefined && <Heard> {of}</Heard>}
  </button>
)

/** `button` is the text of its button, `others` are next to it. */
type FormProps = { button: string; action: () => unknown; children: ComponentChildren; others?: ComponentChildren }

// Escape closes the selected entry. Ctrl+S submits the form that has the focus, or that of the selected entry.
document.addEventListener('keydown', (event) => {
  const isInField = document.activeElement?.matches('input, select, textarea')
  if (event.key === 'Escape' && !isInField && document.querySelector('.detail')) closeDetail()
  if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
  const form = document.querySelector<HTMLFormElement>('form.stack:focus-within, .detail form')
  if (form) event.preventDefault()
  form?.requestSubmit()
})

/** A form that says why its action failed. */
export function Form({ action, button, children, others }: FormProps) {
  const error = useSignal<unknown>('')
  return (
    <form
      class="stack"
      noValidate
      onInput={() => (error.value = '')}
      onSubmit={(event) => {
        event.preventDefault()
        void act(action, error)
      }}
    >
      {children}
      <ProblemText error={error.value} />
      <div class="row">
        <button class="primary">{button}</button>
        {others}
      </div>
    </form>
  )
}

/** One of `options` is chosen, `none` is the text of a first one without a value; or a text of some `rows` is entered, as suggested or not. */
type FieldProps = Pick<ComponentProps<'textarea'>, 'autofocus' | 'name' | 'placeholder' | 'rows'> &
  Record<'label' | 'value', string> &
  Partial<Record<'hint' | 'none', string>> &
  Partial<Record<'options' | 'suggestions', readonly string[]>> & {
    set: (value: string) => void
    type?: 'password' | 'search' | 'text'
  }

/** An input with its label: a list to choose from, a long text or a short one. */
export function Field({ hint, label, none, options, rows, set, suggestions, type = 'text', ...others }: FieldProps) {
  const id = useId()
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) => set(event.currentTarget.value)
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

type FilterField = Partial<FieldProps> & { readonly label: string; readonly name: string }

/** The fields of a filter, which acts on each input. Their values are in the query of the URL, if they have no others. */
export const FilterForm = ({ fields }: { fields: readonly FilterField[] }) => (
  <form class="fields" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
    {fields.map((field) => (
      <Field
        key={field.name}
        value={route.value.query[field.name] ?? ''}
        set={(value) => goTo(linkWith({ offset: undefined, [field.name]: value }), true)}
        {...field}
      />
    ))}
  </form>
)

/** Returns the first items of a list, at least up to the open one, and a button that adds as many to them. */
export function useFirst<T>(list: readonly T[], count: number, isOpen: (item: T) => boolean = () => false) {
  const [shown, setShown] = useState(count)
  const opened = list.findIndex(isOpen)
  if (opened >= shown) setShown(opened + 1)
  const more = Math.min(count, list.length - shown)
  const button = more > 0 && <Button label={`Show ${more} more`} press={() => setShown(shown + count)} />
  return [list.slice(0, shown), button] as const
}

/** As the `ref` of an element: it gets the focus when it is new. */
export const focus = (element: HTMLElement | null): void => element?.focus()

export const closeDetail = (): void => goTo(linkWith({ add: undefined, id: undefined, record: undefined }))

/** The selected entry of a list, next to it. Its title gets the focus. When it is closed, the focus goes back to the list. */
export const Detail = ({ children, label, title }: { label: string; title: string; children: ComponentChildren }) => (
  <section class="panel detail" aria-label={label}>
    <div class="row apart title">
      <h3 ref={focus} class="cut" tabIndex={-1}>
        <bdi>{title}</bdi>
      </h3>
      <Button label="Close" press={closeDetail} />
    </div>
    {children}
  </section>
)

/** Copies a text. Browsers allow that on loopback and over TLS only. @returns False: it is not copied. */
export const copyText = async (text: string): Promise<boolean> =>
  isSecureContext && (await navigator.clipboard.writeText(text).catch(() => false)) === undefined

/** A text with a button that copies it. Where browsers do not copy, the text is selected. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const id = useId()
  const copy = async (): Promise<string> => {
    if (await copyText(text)) return `Copied ${label}.`
    getSelection()?.selectAllChildren(document.getElementById(id) ?? document.body)
    return 'The browser does not let the page copy. The text is selected.'
  }
  return (
    <div class="row copyable">
      <pre>
        <code id={id}>{text}</code>
      </pre>
      <Button label={`Copy ${label}`} press={copy} />
    </div>
  )
}

/** A region that scrolls, also by keyboard. */
export const Wide = ({ children, label }: { label: string; children: ComponentChildren }) => (
  <div class="wide" role="region" aria-label={label} tabIndex={0}>
    <p class="quiet">More columns at the right</p>
    {children}
  </div>
)
