/** The changes since the last reset. */
import { byId, counted, make } from './dom.js'

/** Number of ids that are shown at first, for each kind of change. */
const few = 10

const kinds = [
  { key: 'removed', icon: '−', class: 'bad' },
  { key: 'added', icon: '+', class: 'good' },
  { key: 'changed', icon: '~', class: 'warn' },
]

/** Creates the view. @returns A function that shows a diff. */
export function createDiff() {
  const place = byId('diff')
  return (diff) => {
    const all = idsByKind(diff)
    const origin = diff.fixture === null ? 'the state was replaced' : `the reset to ${diff.fixture}`
    const changes = kinds.filter(({ key }) => all[key].length > 0)
    if (changes.length === 0) {
      place.replaceChildren(make('p', {}, `Nothing changed since ${origin}.`))
      return
    }
    place.replaceChildren(make('p', {}, `Changed since ${origin}:`), ...changes.map((kind) => ids(kind, all[kind.key])))
  }
}

/** Groups ids by kind of change. An id has the name of its collection if there are several. */
function idsByKind({ collections }) {
  const entries = Object.entries(collections)
  const shown = (name, id) => (entries.length > 1 ? `${name} ${id}` : id)
  const of = (pick) => entries.flatMap(([name, diff]) => pick(diff).map((id) => shown(name, id)))
  return {
    removed: of(({ removed }) => removed),
    added: of(({ added }) => added),
    changed: of(({ changed }) => Object.keys(changed)),
  }
}

function ids({ class: name, icon, key }, all) {
  const list = make('ul', { class: 'plain changes', 'aria-label': key })
  const item = (id) => make('li', {}, make('code', {}, id))
  const total = make(
    'li',
    { class: `strong ${name}` },
    make('span', { 'aria-hidden': 'true' }, `${icon} `),
    `${key}: ${counted(all.length, 'record')}`,
  )
  list.append(total, ...all.slice(0, few).map(item))
  if (all.length > few) {
    const more = make('button', { class: 'link', type: 'button' }, `all ${all.length.toLocaleString('en')}`)
    more.addEventListener('click', () => {
      list.replaceChildren(total, ...all.map(item))
      list.tabIndex = -1
      list.focus()
    })
    list.append(make('li', {}, more))
  }
  return list
}
