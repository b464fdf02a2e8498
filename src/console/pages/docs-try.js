/** "Try it": sends a request of an operation, and shows the response next to what the contract says. */
import { adminToken, ask, baseUrl, rootUrl, sentence } from './api.js'
import { schemaView } from './docs-schema.js'
import { examplesOf, exampleText, resolve } from './docs-text.js'
import { button, field, fillSelect, make, pairs, say, select } from './dom.js'
import { jsonTree } from './json-tree.js'
import { severitySign, verdictSign } from './signs.js'
import { copyAs } from './view-entry.js'

/** Creates the form, which is filled when it is first opened. An operation whose response has no end has none. */
export function createTryIt(place, operation, body) {
  const responses = Object.values(operation.responses ?? {}).map((response) => resolve(place.document, response))
  if (responses.some(({ content = {} }) => Object.hasOwn(content, 'text/event-stream'))) return undefined
  const details = make('details', { class: 'try' }, make('summary', {}, 'Try it'))
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(createForm(place, operation, body))
  })
  return details
}

function createForm(place, operation, body) {
  const inputs = operation.parameters
    .filter((parameter) => parameter.in !== 'cookie')
    .map((parameter) => ({ parameter, input: parameterInput(parameter) }))
  const caller = place.name === 'service' && operation.security.length > 0 ? select({}, []) : undefined
  const sent = body && bodyInput(body)
  const problem = make('p', { class: 'problem', role: 'alert', hidden: true })
  const result = make('div', { class: 'stack', 'aria-live': 'polite' })
  const form = make(
    'form',
    { class: 'stack', novalidate: true, 'aria-label': `Try ${operation.id}` },
    make(
      'div',
      { class: 'fields' },
      caller && field('Caller', caller),
      ...inputs.map(({ input, parameter }) =>
        field(`${parameter.name}, ${parameter.in}${parameter.required ? ', required' : ''}`, input),
      ),
    ),
    sent?.element,
    make('div', {}, make('button', { class: 'primary' }, 'Send')),
    problem,
    result,
  )
  let callers = {}

  const send = async () => {
    say(problem, '')
    try {
      const values = inputs.map(({ input, parameter }) => ({ parameter, value: input.value }))
      const request = createRequest(place, operation, values, callers[caller?.value])
      if (sent && sent.text() !== '') {
        request.init.body = sent.text()
        request.init.headers.set('content-type', sent.mediaType())
      }
      result.replaceChildren(...(await showResponse(place, operation, request)))
    } catch (error) {
      say(problem, sentence(error))
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  const showCallers = async () => {
    callers = await ask('callers')
    const names = Object.keys(callers).map((name) => ({ value: name, text: name }))
    fillSelect(caller, [...names, { value: '', text: 'no credential' }])
  }
  if (caller) showCallers().catch((error) => say(problem, sentence(error)))
  return form
}

/** Creates the input of a parameter. A required one has its example. */
function parameterInput(parameter) {
  const { enum: values } = parameter.schema ?? {}
  const [example] = examplesOf(parameter)
  const shown = example === undefined ? '' : exampleText(example.value)
  if (Array.isArray(values)) {
    const options = values.map((value) => ({ value: String(value), text: String(value) }))
    return select({}, parameter.required ? options : [{ value: '', text: 'not sent' }, ...options])
  }
  return make('input', {
    autocomplete: 'off',
    value: parameter.required ? shown : '',
    placeholder: parameter.required ? false : shown,
  })
}

/** Creates the input of a body, with an example. */
function bodyInput({ content = {} }) {
  const mediaTypes = Object.keys(content)
  const text = make('textarea', { rows: '8', spellcheck: 'false' })
  const chosen = select(
    {},
    mediaTypes.map((name) => ({ value: name, text: name })),
  )
  const examples = select({}, [])
  const list = () => examplesOf(content[chosen.value] ?? {})
  const fill = () => {
    const { value } = list()[Number(examples.value)] ?? {}
    text.value = value === undefined ? '' : exampleText(value)
  }
  const fillExamples = () => {
    fillSelect(
      examples,
      list().map(({ summary }, index) => ({ value: String(index), text: summary ?? `Example ${index + 1}` })),
    )
    fill()
  }
  chosen.addEventListener('change', fillExamples)
  examples.addEventListener('change', fill)
  fillExamples()
  const format = button('Format', () => {
    try {
      text.value = JSON.stringify(JSON.parse(text.value), null, 2)
      say(problem, '')
    } catch (error) {
      say(problem, `This is not JSON: ${error.message}. It can be sent nevertheless.`)
    }
  })
  const problem = make('p', { class: 'warning', role: 'alert', hidden: true })
  return {
    element: make(
      'div',
      { class: 'stack' },
      make('div', { class: 'fields' }, field('Media type', chosen), field('Example', examples), format),
      field('Body', text),
      problem,
    ),
    mediaType: () => chosen.value,
    text: () => text.value,
  }
}

/** Creates the URL and the options of `fetch`. Optional parameters without a value are not sent. */
function createRequest(place, operation, values, caller) {
  const headers = new Headers()
  const query = new URLSearchParams()
  let path = operation.path
  for (const { parameter, value } of values) {
    const { in: where, name, required } = parameter
    if (where === 'path') path = path.replaceAll(`{${name}}`, encodeURIComponent(value))
    else if (value === '' && !required) continue
    else if (where === 'header') headers.set(name, value)
    else for (const [key, item] of queryItems(parameter, value)) query.append(key, item)
  }
  if (place.name === 'control' && adminToken() !== null) headers.set('authorization', `Bearer ${adminToken()}`)
  const cookie = caller && addCredential(place.document, operation, caller, headers, query)
  const base = (operation.isRootOnly ? rootUrl : baseUrl).replace(/\/$/u, '')
  const url = `${base}${path}${query.size === 0 ? '' : `?${query}`}`
  return { url, cookie, init: { method: operation.method.toUpperCase(), headers, cache: 'no-store' } }
}

/** Splits the text of a query parameter by its style. Arrays and objects are written as JSON. */
function queryItems({ explode, name, style = 'form' }, text) {
  let value
  try {
    value = /^[[{]/u.test(text) ? JSON.parse(text) : text
  } catch {
    value = text
  }
  if (typeof value !== 'object') return [[name, text]]
  if (style === 'deepObject') return Object.entries(value).map(([key, item]) => [`${name}[${key}]`, String(item)])
  if (explode === false)
    return [
      [
        name,
        Object.entries(value)
          .flatMap(([key, item]) => (Array.isArray(value) ? [item] : [key, item]))
          .join(','),
      ],
    ]
  return Object.entries(value).map(([key, item]) => [Array.isArray(value) ? name : key, String(item)])
}

/** Adds what the first security requirement of the operation needs. @returns The cookie to set, if any. */
function addCredential(document, { security }, caller, headers, query) {
  const needed = security.find((requirement) => Object.keys(requirement).length > 0) ?? {}
  let cookie
  for (const name of Object.keys(needed)) {
    const scheme = resolve(document, document.components?.securitySchemes?.[name])
    const token = caller.tokens?.[name] ?? caller.token ?? ''
    // Any token that no other caller has is accepted.
    const value = token === '*' ? 'any-other-token' : token
    if (scheme.type !== 'apiKey')
      headers.set(
        'authorization',
        scheme.scheme?.toLowerCase() === 'basic' ? `Basic ${btoa(value)}` : `Bearer ${value}`,
      )
    else if (scheme.in === 'header') headers.set(scheme.name, value)
    else if (scheme.in === 'query') query.set(scheme.name, value)
    else cookie = `${scheme.name}=${encodeURIComponent(value)}`
  }
  return cookie
}

async function showResponse(place, operation, { cookie, init, url }) {
  // The cookie is sent with this request only.
  if (cookie) document.cookie = `${cookie}; path=/; SameSite=Strict`
  const startedAt = performance.now()
  const response = await fetch(url, init).finally(() => {
    if (cookie) document.cookie = `${cookie}; path=/; max-age=0`
  })
  const text = await response.text()
  const tookMs = Math.round(performance.now() - startedAt)
  const id = response.headers.get('x-request-id')
  const entry =
    place.name === 'service' && id !== null
      ? await ask(`requests/${encodeURIComponent(id)}`).catch(() => undefined)
      : undefined
  return [
    make('h4', {}, 'Response'),
    make(
      'p',
      { class: 'row', role: 'status' },
      make('span', { class: 'strong' }, `${response.status} ${response.statusText}`.trim()),
      entry && verdictSign(entry.verdict),
      make('span', { class: 'quiet' }, `${tookMs} ms`),
    ),
    entry?.violations.length > 0 &&
      make(
        'ul',
        { class: 'plain' },
        ...entry.violations.map(({ message, severity }) => make('li', {}, severitySign(severity), ': ', message)),
      ),
    make(
      'div',
      { class: 'side-by-side' },
      make(
        'section',
        { class: 'stack', 'aria-label': 'Body' },
        make('h5', {}, 'Body'),
        bodyView(response, text, entry),
      ),
      make(
        'section',
        { class: 'stack', 'aria-label': 'Documented' },
        make('h5', {}, 'Documented'),
        ...documentedViews(place, operation, response.status),
      ),
    ),
    make('details', {}, make('summary', {}, 'Response headers'), pairs([...response.headers])),
    entry && copyAs(id),
  ].filter(Boolean)
}

function bodyView(response, text, entry) {
  if (text === '') return make('p', { class: 'quiet' }, 'none')
  const marks = (entry?.violations ?? [])
    .filter(({ location: [side, part] }) => side === 'response' && part === 'body')
    .map(({ location, message, severity }) => ({ path: location.slice(2), message, isError: severity === 'Error' }))
  try {
    if (response.headers.get('content-type')?.includes('json')) return jsonTree(JSON.parse(text), marks)
  } catch {
    // It is shown as text.
  }
  return make('pre', {}, make('code', {}, text.slice(0, 20_000)))
}

/** Creates the views of the documented response of a status. */
function documentedViews(place, { responses = {} }, status) {
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((name) => Object.hasOwn(responses, name))
  if (key === undefined) return [make('p', { class: 'warning' }, `The contract does not document ${status} here.`)]
  const { content = {}, description } = resolve(place.document, responses[key])
  return [
    make('p', { class: 'quiet' }, `${key}: ${description ?? ''}`),
    ...Object.values(content).flatMap(({ schema }) => (schema ? [schemaView(place, schema)] : [])),
  ]
}
