/** What changed since the last reset. */
import { byId, counted, make } from './dom.js'

/** How many ids of a kind are shown at first. */
const few = 10

const kinds = [
  { key: 'removed', icon: '−', class: 'bad' },
  { key: 'added', icon: '+', class: 'good' },
  { key: 'changed', icon: '~', class: 'warn' },
]

/** @returns Shows a diff. */
export function createDiff() {
  const place = byId('diff')
  return (diff) => {
    const all = idsByKind(diff)
    const origin = diff.fixture === null ? 'the document that was put in its place' : `the reset to ${diff.fixture}`
    const changes = kinds.filter(({ key }) => all[key].length > 0)
    if (changes.length === 0) {
      place.replaceChildren(make('p', {}, `Nothing changed since ${origin}.`))
      return
    }
    place.replaceChildren(make('p', {}, `Changed since ${origin}:`), ...changes.map((kind) => ids(kind, all[kind.key])))
  }
}

/** Ids by what became of their record. Where there are several collections, each is named. */
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
