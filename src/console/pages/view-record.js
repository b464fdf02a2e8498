/** One record. Its texts may be in any script, in any direction and of any length, and are shown to the letter. */
import { counted, make } from './dom.js'

/** Longer texts are cut for the eye. */
const maxLength = 320
const maxLines = 4

/** Fields with a place of their own. A contract may have more; those are listed by name. */
const placed = new Set(['title', 'content', '$access'])

let last = 0

/**
 * @param {Record<string, unknown>} record
 * @param {string} id - The property that is its id.
 * @param {string} [mark] - What became of it since the last reset.
 */
export function createCard(record, id, mark) {
  const { $access: access, content, title } = record
  const further = Object.entries(record).filter(([name]) => name !== id && !placed.has(name))
  return make(
    'li',
    { class: 'card' },
    make('h3', { tabindex: '-1' }, ...clampable(title, 'no title')),
    make(
      'div',
      { class: 'row' },
      make('code', {}, String(record[id])),
      mark &&
        make(
          'span',
          { class: `badge ${mark === 'added' ? 'good' : 'warn'}` },
          mark === 'added' ? '+ added' : '~ changed',
        ),
    ),
    make('div', {}, ...clampable(content, 'no content')),
    make(
      'dl',
      { class: 'facts' },
      ...further.map(([name, value]) => fact(name, valueOf(value))),
      fact('access', make('span', {}, accessOf(access))),
    ),
  )
}

const fact = (name, value) => make('div', {}, make('dt', {}, name), make('dd', {}, value))

function valueOf(value) {
  const blank = blankness(value)
  if (blank) return make('span', { class: 'absent' }, blank)
  return make('bdi', {}, typeof value === 'string' ? value : JSON.stringify(value))
}

/** What to say of a text that cannot be seen. Undefined for one that can. */
function blankness(value) {
  if (value === '') return 'empty'
  return typeof value === 'string' && value.trim() === '' ? 'only spaces' : undefined
}

function accessOf(access) {
  if (access === undefined) return 'every caller'
  return access.length === 0 ? 'nobody' : access.join(', ')
}

/** A text, and a button to see all of it where it is long. */
function clampable(value, absent) {
  if (value === undefined) return [make('span', { class: 'absent' }, absent)]
  const blank = blankness(value)
  if (blank) return [make('span', { class: 'absent' }, blank)]
  const text = make('div', { class: 'text', dir: 'auto', id: `text-${++last}` }, value)
  if (value.length <= maxLength && value.split('\n').length <= maxLines) return [text]
  const all = `Show all ${counted(value.length, 'character')}`
  const button = make(
    'button',
    { class: 'link', type: 'button', 'aria-expanded': 'false', 'aria-controls': text.id },
    all,
  )
  text.classList.add('clamped')
  button.addEventListener('click', () => {
    const isClamped = text.classList.toggle('clamped')
    button.setAttribute('aria-expanded', String(!isClamped))
    button.textContent = isClamped ? all : 'Show less'
  })
  return [text, button]
}
