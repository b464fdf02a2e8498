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
    const changes = kinds.filter(({ key }) => diff[key].length > 0)
    if (changes.length === 0) {
      place.replaceChildren(make('p', {}, `Nothing changed since the reset to ${diff.fixture}.`))
      return
    }
    place.replaceChildren(
      make('p', {}, `Changed since the reset to ${diff.fixture}:`),
      ...changes.map((kind) => ids(kind, diff[kind.key])),
    )
  }
}

function ids({ class: name, icon, key }, all) {
  const list = make('ul', { class: 'plain changes', 'aria-label': key })
  const item = (id) => make('li', {}, make('code', {}, id))
  const total = make(
    'li',
    { class: `strong ${name}` },
    make('span', { 'aria-hidden': 'true' }, `${icon} `),
    `${key}: ${counted(all.length, 'insight')}`,
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
