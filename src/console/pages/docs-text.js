/** Reads texts, references and examples of an OpenAPI document. */
import { make } from './dom.js'
import { sign } from './signs.js'

/** Returns the last name in a reference. */
export const nameOfRef = (ref) => unescaped(ref.split('/').at(-1))

/**
 * Follows a reference within a document. Keywords next to the reference win.
 *
 * @returns The target. An empty object if there is none.
 */
export function resolve(document, node) {
  let found = node
  const seen = new Set()
  while (found?.$ref !== undefined && !seen.has(found.$ref)) {
    const { $ref, ...siblings } = found
    seen.add($ref)
    found = { ...lookUp(document, $ref), ...siblings }
  }
  return found ?? {}
}

/** Creates a note with the `x-assumption` of a node. Undefined if it has none. */
export function assumption(node) {
  const text = node['x-assumption']
  if (text === undefined) return undefined
  return make(
    'div',
    { class: 'assumption', role: 'note' },
    make('strong', {}, sign('decision', 'Decision of the double: the service’s document does not say it')),
    prose(String(text)),
  )
}

/** Creates a text. `code` in backticks is formatted; all other Markdown stays as it is. */
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

/** Returns the `examples` of a schema: a list, or in public contracts also an object. */
export const schemaExamples = (schema) => Object.values(schema?.examples ?? [])

/** Returns the examples of a media type, parameter or header. @returns {{ summary?: string, value: unknown }[]} */
export function examplesOf({ example, examples, schema }) {
  if (example !== undefined) return [{ value: example }]
  if (examples !== undefined) return Object.values(examples).filter(({ value }) => value !== undefined)
  return [schema?.example, ...schemaExamples(schema)]
    .filter((value) => value !== undefined)
    .slice(0, 1)
    .map((value) => ({ value }))
}

/** Formats an example. */
export const exampleText = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

function lookUp(document, ref) {
  if (!ref.startsWith('#/')) return undefined
  let node = document
  for (const segment of ref.slice(2).split('/')) node = node?.[unescaped(segment)]
  return node
}

/** Decodes a segment of a JSON pointer in a URL fragment. */
const unescaped = (segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
