/** Creates and updates controls: forms, fields and buttons. */
import { make } from './dom.js'

/** Calls back when a form is submitted, in place of the browser's own submission. */
export const onSubmit = (form, callback) =>
  form.addEventListener('submit', (event) => (event.preventDefault(), callback()))

/** Enables or disables a button without moving the focus. */
export const enable = (element, isEnabled) => element.setAttribute('aria-disabled', String(!isEnabled))

/** Sets the options of a select element if they have changed. Keeps the selected one if it still exists. @param {readonly { value: string, text: string }[]} options */
export function fillSelect(element, options) {
  const known = JSON.stringify(options)
  if (element.dataset.options === known) return
  element.dataset.options = known
  const chosen = element.value
  element.replaceChildren(...options.map(({ text, value }) => make('option', { value }, text)))
  if (options.some(({ value }) => value === chosen)) element.value = chosen
}

/** Creates the options of a select element. @param {string} [none] - The text of a first option without a name. */
export const optionsOf = (names, none) => [
  ...(none === undefined ? [] : [{ value: '', text: none }]),
  ...names.map((name) => ({ value: name, text: name })),
]

/** Creates a field with its label. @param {Element} control - An input, a select or a text area. */
export const field = (label, control, hint) =>
  make('label.field', make('span', label), control, hint && make('span.quiet', hint))

/** Creates a select element. @param {readonly { value: string, text: string }[]} options */
export function select(attributes, options) {
  const element = make('select', attributes)
  fillSelect(element, options)
  return element
}

export const button = (text, onclick, attributes = {}) =>
  make('button', { type: 'button', onclick, ...attributes }, text)

/** Creates a text with a button that copies it. */
export function copyable(text, label) {
  const code = make('code', text)
  const press = async () => {
    copier.textContent = await copy(text, code).catch(() => 'Not copied')
    setTimeout(() => (copier.textContent = 'Copy'), 1500)
  }
  const copier = button('Copy', () => void press(), { 'aria-label': `Copy ${label}` })
  return make('div.copyable', make('pre', code), copier)
}

/** Copies a text. Browsers allow it on loopback and over TLS only; elsewhere, selects the text. @returns The label to show. */
async function copy(text, element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  }
  getSelection().selectAllChildren(element)
  return 'Selected'
}
