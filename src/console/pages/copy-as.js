/** "Copy as": shows a request as text in several formats, with a button that copies it. */
import { ask, errorText } from './api.js'
import { button, copyable, make } from './dom.js'

/** Creates the buttons for a request of the journal. @param {string} id */
export const copyEntryAs = (id) =>
  copyAs(
    Object.fromEntries(
      ['curl', 'fetch', 'fault'].map((format) => [
        format,
        async () => {
          const text = await ask(`requests/${encodeURIComponent(id)}?as=${format}`)
          return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
        },
      ]),
    ),
  )

/** Creates a button for each format. @param {Record<string, () => string | Promise<string>>} formats - The functions that write the text. */
export function copyAs(formats) {
  const place = make('div', {})
  const show = async (format) => {
    try {
      place.replaceChildren(copyable(await formats[format](), `the request as ${format}`))
    } catch (error) {
      place.replaceChildren(make('p', { class: 'problem', role: 'alert' }, errorText(error)))
    }
  }
  return make(
    'div',
    { class: 'stack' },
    make(
      'div',
      { class: 'row' },
      make('span', {}, 'Copy as'),
      ...Object.keys(formats).map((format) => button(format, () => void show(format))),
    ),
    place,
  )
}
