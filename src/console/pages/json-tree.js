/** A JSON value as a tree that can be expanded, with marks at the values that break the contract. */
import { button } from './controls.js'
import { counted, make, severitySign } from './dom.js'

/** Number of items of an array or object that are shown at first. */
const pageSize = 100

/**
 * @param value - A JSON value.
 * @param {readonly { path: readonly (string | number)[], message: string, severity: string }[]} [marks] - Each is shown at the value of its
 *   path, or of the nearest existing parent.
 */
export const jsonTree = (value, marks = []) => make('div.tree', node(undefined, value, marks, 0))

function node(name, value, marks, depth) {
  const label = name !== undefined && [make('span.key', make('bdi', String(name))), ': ']
  if (typeof value !== 'object' || value === null) return leaf(label, value, marks)
  const isList = Array.isArray(value)
  const entries = isList ? [...value.entries()] : Object.entries(value)
  const [start, end, ...words] = isList ? ['[ ', ' ]', 'item'] : ['{ ', ' }', 'property', 'properties']
  const size = counted(entries.length, ...words)
  const isInside = ({ path }) => path.length > 0 && entries.some(([key]) => String(key) === String(path[0]))
  const list = make('ul.plain')
  const showFrom = (from) => {
    for (const [key, inner] of entries.slice(from, from + pageSize))
      list.append(make('li', node(key, inner, marksOf(marks.filter(isInside), key), depth + 1)))
    if (entries.length <= from + pageSize) return
    const showMore = () => (more.remove(), showFrom(from + pageSize))
    const more = make('li', button(`Show more of ${size}`, showMore, { class: 'link' }))
    list.append(more)
  }
  showFrom(0)
  return make(
    'details',
    { open: depth < 2 || marks.length > 0 },
    make('summary', ...(label || []), start, make('span.quiet', size), end),
    ...marksView(marks.filter((mark) => !isInside(mark))),
    list,
  )
}

const marksOf = (marks, key) =>
  marks.filter(({ path }) => String(path[0]) === String(key)).map((mark) => ({ ...mark, path: mark.path.slice(1) }))

const leaf = (label, value, marks) =>
  make(
    'div',
    { class: marks.length > 0 && 'marked' },
    ...(label || []),
    make('span', { class: `value ${value === null ? 'null' : typeof value}`, dir: 'auto' }, JSON.stringify(value)),
    ...marksView(marks),
  )

const marksView = (marks) =>
  marks.map(({ message, severity }) =>
    make(severity === 'Error' ? 'p.mark.bad' : 'p.mark.warn', severitySign(severity), ': ', make('bdi', message)),
  )
