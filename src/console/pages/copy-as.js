/** "Copy as": shows a request of the journal as text in several formats, with a button that copies it. */
import { ask, errorText } from './api.js'
import { button, copyable, make } from './dom.js'

/** Creates a button for each format. @param {string} id - The id of the entry. */
export function copyEntryAs(id) {
  const place = make('div')
  const show = async (format) => {
    try {
      const text = await ask(`requests/${encodeURIComponent(id)}?as=${format}`)
      const shown = typeof text === 'string' ? text : JSON.stringify(text, null, 2)
      place.replaceChildren(copyable(shown, `the request as ${format}`))
    } catch (error) {
      place.replaceChildren(make('p.problem', { role: 'alert' }, errorText(error)))
    }
  }
  return make(
    'div.stack',
    make(
      'div.row',
      make('span', 'Copy as'),
      ...['curl', 'fetch', 'fault'].map((format) => button(format, () => void show(format))),
    ),
    place,
  )
}
