/** One request in full: the request, the response, and where they break the contract. */
import { ask, errorText } from './api.js'
import { button, copyable } from './controls.js'
import { make, nameValueList, severitySign, verdictSign } from './dom.js'
import { jsonTree } from './json-tree.js'

/** Creates the elements of a journal entry. @param {string} [template] - The path of its operation, such as `/pets/{petId}`. */
export function createEntry(entry, template) {
  const { caller, durationMs, fault, id, method, note, operation, preference, status, time, truncated, url, verdict } =
    entry
  const marks = entry.violations.map(({ location, message, severity }) => ({ path: location, message, severity }))
  const at = (...start) =>
    marks
      .filter(({ path }) => start.every((segment, index) => String(path[index]).toLowerCase() === segment))
      .map((mark) => ({ ...mark, path: mark.path.slice(start.length) }))
  return [
    make('h3.signature', make('bdi', `${method} ${url}`.trim() || 'A request that could not be parsed')),
    make('p.row', make('span.status', status ?? 'no response was sent'), verdictSign(verdict)),
    note !== null && make('p.strong', 'Note: ', make('bdi', note)),
    entry.violations.length > 0 &&
      make('ul.plain.violations', { 'aria-label': 'Violations and warnings' }, ...entry.violations.map(violationItem)),
    copyEntryAs(id),
    nameValueList([
      ['Operation', operation ?? 'none'],
      ['Caller', caller ?? 'none'],
      ['Fault', fault],
      ['Preference', preference],
      ['Time', time],
      ['Took', `${durationMs} ms`],
      ['Id', id],
    ]),
    truncated.length > 0 && make('p.warning', `Cut, because they are too long: ${truncated.join(', ')}.`),
    ...part('Path parameters', template && pathParametersIn(url, template), at('request', 'path')),
    ...part('Query', parametersIn(url), at('request', 'query')),
    ...part('Request body', entry.requestBody, at('request', 'body'), truncated.includes('requestBody')),
    ...part('Response body', entry.responseBody, at('response', 'body'), truncated.includes('responseBody')),
    ...headersPart('Request headers', entry.requestHeaders, at('request', 'headers')),
    ...headersPart('Response headers', entry.responseHeaders, at('response', 'headers')),
  ].filter(Boolean)
}

/** Creates a part of the request or response. A missing value has a part only if it breaks the contract. */
function part(title, value, marks, isCut = false) {
  if ((value ?? null) === null && marks.length === 0) return []
  const body = isCut && typeof value === 'string' ? make('pre', make('code', value)) : jsonTree(value ?? null, marks)
  return [make('section', { 'aria-label': title }, make('h4', title), body)]
}

const headersPart = (title, headers, marks) =>
  Object.keys(headers).length === 0
    ? []
    : [make('details', { open: marks.length > 0 }, make('summary', title), jsonTree(headers, marks))]

/** Returns the path parameters of a request target, which may begin with a base path. Null: there are none. */
function pathParametersIn(url, template) {
  const segments = url.split('?')[0].split('/').toReversed()
  const names = template.split('/').toReversed()
  const parameters = names.flatMap((name, index) =>
    /^\{.+\}$/u.test(name) ? [[name.slice(1, -1), segments[index] ?? '']] : [],
  )
  return parameters.length === 0 ? null : Object.fromEntries(parameters.toReversed())
}

/** Returns the query parameters of a request target. A repeated one is a list. Null: there are none. */
function parametersIn(url) {
  const [, search = ''] = url.split(/\?(.*)/su)
  const parameters = new URLSearchParams(search)
  if (parameters.size === 0) return null
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )
}

const violationItem = ({ code, location, message, severity }) =>
  make(
    'li',
    make('p', severitySign(severity), ' ', make('bdi', message)),
    make('p.quiet', make('bdi', location.join(' › ')), `, code ${code}`),
  )

/** Creates a button for each format, which shows the request as text with a button that copies it. @param {string} id - Of the entry. */
function copyEntryAs(id) {
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
  const formats = ['curl', 'fetch', 'fault'].map((format) => button(format, () => void show(format)))
  return make('div.stack', make('div.row', make('span', 'Copy as'), ...formats), place)
}
