/** Signs: small pictures, each with its meaning in words. They are SVG, because many fonts lack such characters. */
import { make } from './dom.js'

const namespace = 'http://www.w3.org/2000/svg'

/** The pictures by name: a path in a square of 16 by 16. */
const paths = {
  ok: 'M3 8.5l3.5 3.5L13 4.5',
  error: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.5l6 11H2ZM8 6.5v3M8 11.5v.01',
  fault: 'M9 2L4 9h4l-1 5 5-7H8Z',
  live: 'M8 6v4M6 8h4M8 5a3 3 0 1 0 .01 0Z',
  paused: 'M6 4v8M10 4v8',
  ascending: 'M8 13V3M4 7l4-4 4 4',
  descending: 'M8 3v10M4 9l4 4 4-4',
  added: 'M8 3v10M3 8h10',
  removed: 'M3 8h10',
  changed: 'M3 13l1-3.5L10.5 3 13 5.5 6.5 12Z',
  never: 'M8 4a4 4 0 1 0 .01 0Z',
}

/** Creates a picture. It is hidden from screen readers. @param {keyof typeof paths} name */
export function picture(name) {
  const image = document.createElementNS(namespace, 'svg')
  const path = document.createElementNS(namespace, 'path')
  for (const [key, value] of Object.entries({ class: 'picture', viewBox: '0 0 16 16', 'aria-hidden': 'true' }))
    image.setAttribute(key, value)
  path.setAttribute('d', paths[name])
  image.append(path)
  return image
}

/** Creates a picture with its meaning in words. @param {keyof typeof paths} name */
export const sign = (name, text, className) => make('span', { class: className }, picture(name), ' ', text)

export const verdictSign = (verdict) =>
  verdict === 'ok' ? sign('ok', 'ok', 'good') : sign('error', 'violation', 'bad')

export const severitySign = (severity) =>
  severity === 'Error' ? sign('error', severity, 'strong bad') : sign('warning', severity, 'strong warn')
