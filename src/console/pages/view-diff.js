/** The changes since the last reset, by collection and field. */
import { counted, make, onChange } from './dom.js'
import { linkTo } from './route.js'

/** Number of records that are shown of each kind of change. */
const few = 20

/** Creates the view. */
export function createDiff() {
  const element = make('section', { class: 'stack', 'aria-label': 'Changes' })
  return {
    element,
    show: onChange(({ collections, fixture }) => {
      const origin = fixture === null ? 'the state was replaced' : `the reset to ${fixture}`
      const changes = Object.entries(collections).flatMap(([name, diff]) => collectionChanges(name, diff))
      element.replaceChildren(
        make('h3', {}, changes.length === 0 ? `Nothing changed since ${origin}` : `Changed since ${origin}`),
        ...changes,
      )
    }),
  }
}

function collectionChanges(name, { added, changed, removed }) {
  const link = (key) => make('a', { href: linkTo('state', { collection: name, record: key }) }, make('bdi', {}, key))
  return [
    ...kind(name, 'removed', '−', 'bad', removed, (key) => make('code', {}, key)),
    ...kind(name, 'added', '+', 'good', added, link),
    ...kind(name, 'changed', '~', 'warn', Object.keys(changed), (key) =>
      make('div', {}, link(key), make('dl', { class: 'pairs' }, ...Object.entries(changed[key]).flatMap(fieldChange))),
    ),
  ]
}

function kind(name, word, icon, color, keys, item) {
  if (keys.length === 0) return []
  return [
    make(
      'p',
      { class: `strong ${color}` },
      make('span', { 'aria-hidden': 'true' }, `${icon} `),
      `${name}: ${counted(keys.length, 'record')} ${word}${keys.length > few ? `, the first ${few}` : ''}`,
    ),
    make('ul', { class: 'plain changes' }, ...keys.slice(0, few).map((key) => make('li', {}, item(key)))),
  ]
}

const fieldChange = ([name, change]) => [
  make('dt', {}, name),
  make('dd', {}, side('before', change, 'del'), ' ', side('after', change, 'ins')),
]

const side = (when, change, tag) =>
  Object.hasOwn(change, when)
    ? make(tag, { 'aria-label': when }, make('bdi', {}, JSON.stringify(change[when])))
    : make('span', { class: 'absent' }, when === 'before' ? 'was missing' : 'is missing')
