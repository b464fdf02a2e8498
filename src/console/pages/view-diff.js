/** The changes since the last reset: fields before and after, and a list of the changed records. */
import { counted, make, onChange, replaceChildren } from './dom.js'
import { linkTo } from './route.js'
import { sign } from './signs.js'

/** Creates the list of changed records, with links to those that still exist. */
export function createDiff() {
  const element = make('section.stack', { 'aria-label': 'Changes' })
  return {
    element,
    show: onChange(({ collections, fixture }) => {
      const origin = fixture === null ? 'the state was replaced' : `the reset to ${fixture}`
      const changes = Object.entries(collections).flatMap(([name, diff]) => collectionChanges(name, diff))
      replaceChildren(element, [
        make('h3', changes.length === 0 ? `Nothing changed since ${origin}` : `Changed since ${origin}`),
        ...changes,
      ])
    }),
  }
}

/** Creates the view of the changed fields of a record. @param {Record<string, { before?: unknown, after?: unknown }>} changes - By field. */
export const fieldChanges = (changes) =>
  make(
    'dl.pairs',
    ...Object.entries(changes).flatMap(([name, change]) => [
      make('dt', make('bdi', name)),
      make('dd', side('before', change, 'del'), ' ', side('after', change, 'ins')),
    ]),
  )

function collectionChanges(name, { added, changed, counts, removed }) {
  const link = (key) => make('a', { href: linkTo('state', { collection: name, record: key }) }, make('bdi', key))
  return [
    kind(name, 'removed', 'bad', counts, removed, (key) => make('code', key)),
    kind(name, 'added', 'good', counts, added, link),
    kind(name, 'changed', 'warn', counts, Object.keys(changed), link),
  ].filter(Boolean)
}

function kind(name, word, color, counts, keys, item) {
  const count = counts[word]
  if (count === 0) return undefined
  const cut = count > keys.length ? `, the first ${keys.length}` : ''
  return make(
    'div',
    make('p', sign(word, `${name}: ${counted(count, 'record')} ${word}${cut}`, `strong ${color}`)),
    make('ul.inline', ...keys.map((key) => make('li', item(key)))),
  )
}

const side = (when, change, tag) =>
  Object.hasOwn(change, when)
    ? make(tag, {}, make('span.visually-hidden', `${when}: `), make('bdi', JSON.stringify(change[when])))
    : make('span.absent', when === 'before' ? 'was missing' : 'is missing')
