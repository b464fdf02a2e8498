/**
 * Creates and updates elements. Data is inserted as text only, never as markup.
 */

/**
 * Creates an element.
 *
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] - `true`: present without a value. `false`, null or undefined: absent.
 * @param {...(Node | string | number | null | undefined | false)} children - Strings become text.
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(toNode))
  return element
}

/** Returns the element with an id. @param {string} id */
export const byId = (id) => document.getElementById(id)

/** Sets the text of an element. Hides the element if the text is empty. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text
  element.hidden = text === ''
}

/** Sets the children of an element, in this order. Children that stay are not moved, so they keep the focus. */
export function arrange(parent, children) {
  const wanted = new Set(children)
  const leaving = Array.from(parent.children).filter((child) => !wanted.has(child))
  for (const child of leaving) child.remove()
  let next = parent.firstElementChild
  for (const child of children) {
    if (child === next) next = next.nextElementSibling
    else parent.insertBefore(child, next)
  }
}

/** Sets the options of a select element. Keeps the selected one if it still exists. @param {readonly { value: string, text: string }[]} options */
export function fillSelect(select, options) {
  const chosen = select.value
  select.replaceChildren(...options.map(({ text, value }) => make('option', { value }, text)))
  if (options.some(({ value }) => value === chosen)) select.value = chosen
}

/** Wraps a callback so that it is called only if the value has changed since the last call. */
export function onChange(callback) {
  let last
  return (value) => {
    const text = JSON.stringify(value)
    if (text === last) return
    last = text
    callback(value)
  }
}

/** Creates a command line with a button that copies it. */
export function copyable(text, label) {
  const code = make('code', {}, text)
  const button = make('button', { type: 'button', 'aria-label': `Copy ${label}` }, 'Copy')
  button.addEventListener('click', () => {
    copy(text, code).then(
      (result) => showBriefly(button, result),
      () => showBriefly(button, 'Not copied'),
    )
  })
  return make('div', { class: 'copyable' }, make('pre', {}, code), button)
}

/** Formats a number with its noun. */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const toNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)))

/** Copies a text. Without loopback or TLS, browsers do not allow it, and the text is selected. @returns The label to show. */
async function copy(text, element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  }
  getSelection().selectAllChildren(element)
  return 'Selected'
}

function showBriefly(button, text) {
  button.textContent = text
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}
