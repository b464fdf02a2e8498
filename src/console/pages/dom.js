/** Creates and updates elements. Data is inserted as text only, never as markup. */

/**
 * Creates an element.
 *
 * @param {string} selector - The tag and the classes: `p.quiet`.
 * @param {...(Record<string, string | number | boolean | null | undefined | Function> | Node | string | number | null | undefined | false)} parts -
 *   Attributes, then children, which become text unless they are nodes. An attribute that is true is present without a value; false, null
 *   and undefined are absent. A function is a listener: `onclick` listens to `click`.
 */
export function make(selector, ...parts) {
  const [tag, ...classes] = selector.split('.')
  const element = document.createElement(tag)
  if (classes.length > 0) element.className = classes.join(' ')
  const hasAttributes = Object.getPrototypeOf(parts[0] ?? '') === Object.prototype
  for (const [name, value] of Object.entries(hasAttributes ? parts.shift() : {})) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...parts.filter((part) => part !== null && part !== undefined && part !== false).map(toNode))
  return element
}

export const byId = (id) => document.getElementById(id)

/** Sets the text of an element. Hides the element if the text is empty. */
export function showText(element, text) {
  if (element.textContent !== text) element.textContent = text
  element.hidden = text === ''
}

/** Sets the children of an element, in this order. Children that stay are not moved, so they keep the focus. */
export function updateChildren(parent, children) {
  const wanted = new Set(children)
  for (const child of Array.from(parent.children).filter((each) => !wanted.has(each))) child.remove()
  let next = parent.firstElementChild
  for (const child of children) {
    if (child === next) next = next.nextElementSibling
    else parent.insertBefore(child, next)
  }
}

/**
 * Replaces the children of an element. If one of them had the focus, the new one of the same name gets it; if there is none, the title of
 * the view gets it. The name is `data-name`, otherwise the label, otherwise the text.
 */
export function replaceChildren(parent, children) {
  const focused = parent.contains(document.activeElement) ? nameOf(document.activeElement) : undefined
  updateChildren(parent, children)
  if (focused === undefined || parent.contains(document.activeElement)) return
  focusOr([...parent.querySelectorAll('a, button')].find((each) => nameOf(each) === focused))
}

/** Moves the focus to an element, or to the title of the view if the element is missing or hidden. */
export function focusOr(element) {
  const isShown = element?.isConnected && element.getClientRects().length > 0
  const target = isShown ? element : document.querySelector('h2.title')
  target?.focus()
}

/** Calls back when Escape is pressed in an element, except in its inputs. */
export const onEscape = (element, callback) =>
  element.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape' && !target.matches('input, select, textarea')) callback()
  })

/** Creates a region that scrolls, also by keyboard. */
export const wide = (label, table) => make('div.wide', { role: 'region', 'aria-label': label, tabindex: '0' }, table)

export const headRow = (titles) => make('tr', ...titles.map((title) => make('th', { scope: 'col' }, title)))

/** Returns each text once, in the order of the alphabet. */
export const sortedOnce = (texts) => [...new Set(texts)].toSorted((one, other) => one.localeCompare(other, 'en'))

/** Creates a list of names and values. Null values are omitted. */
export const nameValueList = (list) =>
  make(
    'dl.pairs',
    ...list
      .filter(([, value]) => value !== null && value !== undefined)
      .flatMap(([name, value]) => [make('dt', name), make('dd', make('bdi', value))]),
  )

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

export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const nameOf = (element) => element.dataset.name ?? element.getAttribute('aria-label') ?? element.textContent

const toNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)))

/** Signs: small pictures, each with its meaning in words. They are SVG, because many fonts lack such characters. */
const namespace = 'http://www.w3.org/2000/svg'

/** The pictures by name: a path in a square of 16 by 16. */
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

/** Creates a picture. It is hidden from screen readers. @param {keyof typeof paths} name */
export function picture(name) {
  const image = document.createElementNS(namespace, 'svg')
  const path = document.createElementNS(namespace, 'path')
  for (const [key, value] of Object.entries({ class: 'picture', viewBox: '0 0 16 16', 'aria-hidden': 'true' }))
    image.setAttribute(key, value)
  path.setAttribute('d', paths[name])
  image.append(path)
  return image
}

/** Creates a picture with its meaning in words. @param {keyof typeof paths} name */
export const sign = (name, text, className) => make('span', { class: className }, picture(name), ' ', text)

export const verdictSign = (verdict) =>
  verdict === 'ok' ? sign('ok', 'ok', 'good') : sign('error', 'violation', 'bad')

export const severitySign = (severity) =>
  severity === 'Error' ? sign('error', severity, 'strong bad') : sign('warning', severity, 'strong warn')
