/** Reads an OpenAPI document for the eye. */
import { make } from './dom.js'

/** The last name in a reference. */
export const nameOfRef = (ref) => unescaped(ref.split('/').at(-1))

/**
 * Follows a reference within a document. What stands beside it goes before what it refers to.
 *
 * @returns An empty object for a reference that leads nowhere.
 */
export function resolve(document, node) {
  let found = node
  const seen = new Set()
  while (found?.$ref !== undefined && !seen.has(found.$ref)) {
    const { $ref, ...beside } = found
    seen.add($ref)
    found = { ...lookUp(document, $ref), ...beside }
  }
  return found ?? {}
}

/** What was decided about something that the service's document leaves open. Undefined where nothing was. */
export function assumption(node) {
  const text = node['x-assumption']
  if (text === undefined) return undefined
  return make(
    'div',
    { class: 'assumption', role: 'note' },
    make('strong', {}, make('span', { 'aria-hidden': 'true' }, '◆ '), 'Decided here, not in the service’s document'),
    prose(String(text)),
  )
}

/** A text with `code` in it, as Markdown writes it. The rest of Markdown is left as it is. */
export function prose(text) {
  return make(
    'span',
    {},
    ...text
      .trim()
      .split('`')
      .map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part)),
  )
}

/** The examples that a media type, parameter or header has. @returns {{ summary?: string, value: unknown }[]} */
export function examplesOf({ example, examples, schema }) {
  if (example !== undefined) return [{ value: example }]
  if (examples !== undefined) return Object.values(examples).filter(({ value }) => value !== undefined)
  return (schema?.examples ?? []).slice(0, 1).map((value) => ({ value }))
}

/** A value as it would be written. */
export const exampleText = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

function lookUp(document, ref) {
  if (!ref.startsWith('#/')) return undefined
  let node = document
  for (const segment of ref.slice(2).split('/')) node = node?.[unescaped(segment)]
  return node
}

/** A segment of a JSON pointer in a URL's fragment. */
const unescaped = (segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
