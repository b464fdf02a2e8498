/** Shows the texts of an OpenAPI document. */
import { make } from './dom.js'
import { sign } from './signs.js'

/** Creates a note with the `x-assumption` of a node. Undefined if it has none. */
export function assumption(node) {
  const text = node['x-assumption']
  if (text === undefined) return undefined
  return make(
    'div',
    { class: 'assumption', role: 'note' },
    make('strong', {}, sign('decision', 'Decision of the double: the document of the service leaves this open')),
    prose(String(text)),
  )
}

/** Creates a text. Formats code in backticks, and no other Markdown. */
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
