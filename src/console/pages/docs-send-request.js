/** Sends the request of "Try it", and shows the response next to the documented one. */
import { ask, RefusedError } from './api.js'
import { asCurl, asFetch } from './control-request-as-code.js'
import { copyAs, copyEntryAs } from './copy-as.js'
import { resolve } from './docs-resolve-reference.js'
import { schemaView } from './docs-schema-view.js'
import { make, nameValueList } from './dom.js'
import { jsonTree } from './json-tree.js'
import { linkTo } from './route.js'
import { severitySign, verdictSign } from './signs.js'

/** Sends a request. @returns The elements of the response. @throws {RefusedError} The connection was closed without a response. */
export async function sendAndShow(place, operation, request) {
  const startedAt = performance.now()
  const response = await send(request)
  const text = await response.text().catch(() => undefined)
  const tookMs = Math.round(performance.now() - startedAt)
  const id = response.headers.get('x-request-id')
  const isRecorded = place.name === 'service' && id !== null
  const entry = isRecorded ? await ask(`requests/${encodeURIComponent(id)}`).catch(() => undefined) : undefined
  const violations = entry?.violations ?? JSON.parse(response.headers.get('sl-violations') ?? '[]')
  return [
    make('h4', {}, 'Response'),
    make(
      'p',
      { class: 'row', role: 'status' },
      make('span', { class: 'strong' }, `${response.status} ${response.statusText}`.trim()),
      verdictSign(violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok'),
      make('span', { class: 'quiet' }, `${tookMs} ms`),
      entry && make('a', { href: `./${linkTo('requests', { id })}` }, 'Show in the console'),
    ),
    violations.length > 0 &&
      make(
        'ul',
        { class: 'plain' },
        ...violations.map(({ message, severity }) => make('li', {}, severitySign(severity), ': ', message)),
      ),
    make(
      'div',
      { class: 'side-by-side' },
      make(
        'section',
        { class: 'stack', 'aria-label': 'Body' },
        make('h5', {}, 'Body'),
        bodyView(response, text, violations),
      ),
      make(
        'section',
        { class: 'stack', 'aria-label': 'Documented' },
        make('h5', {}, 'Documented'),
        ...documentedViews(place, operation, response.status),
      ),
    ),
    make('details', {}, make('summary', {}, 'Response headers'), nameValueList([...response.headers])),
    entry && copyEntryAs(id),
    place.name === 'control' && copyAs({ curl: () => asCurl(request), fetch: () => asFetch(request) }),
  ].filter(Boolean)
}

async function send({ cookies, init, url }) {
  // The cookies are sent with this request only.
  for (const cookie of cookies) document.cookie = `${cookie}; path=/; SameSite=Strict`
  try {
    return await fetch(url, init)
  } catch {
    throw new RefusedError(
      0,
      null,
      'The connection was closed without a response: by a fault, or because the double has stopped.',
    )
  } finally {
    for (const cookie of cookies) document.cookie = `${cookie}; path=/; max-age=0`
  }
}

/** Creates the view of the body. @param {string | undefined} text - Undefined: the connection was closed before the end of the body. */
function bodyView({ headers }, text, violations) {
  if (text === undefined)
    return make('p', { class: 'warning' }, 'The connection was closed before the end of the body.')
  if (text === '') return make('p', { class: 'quiet' }, 'none')
  const marks = violations
    .filter(({ location: [side, part] }) => side === 'response' && part === 'body')
    .map(({ location, message, severity }) => ({ path: location.slice(2), message, isError: severity === 'Error' }))
  try {
    if (headers.get('content-type')?.includes('json')) return jsonTree(JSON.parse(text), marks)
  } catch {
    // Not JSON: shown as text.
  }
  return make('pre', {}, make('code', {}, text.slice(0, 20_000)))
}

/** Creates the views of the documented response of a status. */
function documentedViews(place, { responses = {} }, status) {
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((name) => Object.hasOwn(responses, name))
  if (key === undefined)
    return [make('p', { class: 'warning' }, `The contract does not document ${status} for this operation.`)]
  const { content = {}, description } = resolve(place.document, responses[key])
  return [
    make('p', { class: 'quiet' }, `${key}: ${description ?? ''}`),
    ...Object.values(content).flatMap(({ schema }) =>
      schema ? [schemaView(place, opened(place.document, schema))] : [],
    ),
  ]
}

/** Resolves the references at the top of a schema, so that its properties are shown and not only its name. */
function opened(document, schema) {
  const { items, ...rest } = resolve(document, schema)
  return items === undefined ? rest : { ...rest, items: resolve(document, items) }
}
