/**
 * Makes and keeps elements. Whatever comes from data goes in as text: there is no way here to make markup of it.
 */

/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] - True: present. False or nothing: absent.
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

/** @param {string} id */
export const byId = (id) => document.getElementById(id)

/** Shows a text in an element, or hides the element where there is none. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text
  element.hidden = text === ''
}

/** Makes the children of an element these, in this order. Those that stay are not touched, and so keep their focus. */
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

/** Fills a chooser, and keeps the choice where it is still there. @param {readonly { value: string, text: string }[]} options */
export function fillSelect(select, options) {
  const chosen = select.value
  select.replaceChildren(...options.map(({ text, value }) => make('option', { value }, text)))
  if (options.some(({ value }) => value === chosen)) select.value = chosen
}

/** Calls back only when what it is given is not what it was the last time. */
export function onChange(callback) {
  let last
  return (value) => {
    const text = JSON.stringify(value)
    if (text === last) return
    last = text
    callback(value)
  }
}

/** A command line with a button that copies it. */
export function copyable(text, label) {
  const code = make('code', {}, text)
  const button = make('button', { type: 'button', 'aria-label': `Copy ${label}` }, 'Copy')
  button.addEventListener('click', () => {
    copy(text, code).then(
      (said) => showBriefly(button, said),
      () => showBriefly(button, 'Not copied'),
    )
  })
  return make('div', { class: 'copyable' }, make('pre', {}, code), button)
}

/** How many there are of something. */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const toNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)))

/** Browsers let pages copy on loopback and over TLS only; elsewhere the text is selected. @returns What was done. */
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
