/** One operation: request, parameters and responses. */
import { curl } from './docs-curl-command.js'
import { assumption, prose } from './docs-descriptions.js'
import { examplesOf, exampleText } from './docs-find-examples.js'
import { resolve } from './docs-resolve-reference.js'
import { schemaView, typeView } from './docs-schema-view.js'
import { createTryIt } from './docs-try-form.js'
import { copyable, make } from './dom.js'
import { sign } from './signs.js'

/** The methods of an OpenAPI path item. */
export const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace']

/** Returns the anchor of an operation. An id in HTML must not contain spaces. */
export const operationAnchor = (contract, id) => `${contract}-${id.replaceAll(/\s/gu, '-')}`

export function createOperation(place, operation) {
  const { description, id, isRootOnly, method, parameters, path, responses = {}, summary } = operation
  const anchor = operationAnchor(place.name, id)
  const body = operation.requestBody && resolve(place.document, operation.requestBody)
  return make(
    'section',
    { class: 'panel', id: anchor, 'aria-labelledby': `${anchor}-title` },
    make(
      'h3',
      { class: 'signature', id: `${anchor}-title` },
      make('span', { class: `method method-${method}` }, method.toUpperCase()),
      make('span', {}, path),
    ),
    make('p', {}, summary && make('span', { class: 'strong' }, prose(summary), ' '), make('code', {}, id)),
    description && make('p', {}, prose(description)),
    isRootOnly && make('p', { class: 'quiet' }, 'Only under the base URL of the root.'),
    assumption(operation),
    copyable(curl(place, operation, body), `the command for ${id}`),
    createTryIt(place, operation, body),
    parameters.length > 0 && make('h4', {}, 'Parameters'),
    parameters.length > 0 &&
      make('dl', { class: 'items' }, ...parameters.flatMap((parameter) => parameterView(place, parameter))),
    body && make('h4', {}, `Request body, ${body.required ? 'required' : 'optional'}`),
    body && make('div', { class: 'stack' }, ...contentViews(place, body)),
    make('h4', {}, 'Responses'),
    make(
      'div',
      { class: 'stack' },
      ...Object.entries(responses).map(([status, response]) =>
        responseView(place, status, resolve(place.document, response)),
      ),
    ),
  )
}

function parameterView(place, parameter) {
  const { description, in: where, name, required, schema = {} } = parameter
  return [
    make(
      'dt',
      {},
      make('code', {}, name),
      make('span', { class: 'quiet' }, `${where}, ${required ? 'required' : 'optional'}`),
    ),
    make(
      'dd',
      {},
      description && make('p', {}, prose(description)),
      typeView(place, schema),
      ...exampleLines(parameter),
      assumption(parameter),
      assumption(resolve(place.document, schema)),
    ),
  ]
}

const exampleLines = (node) =>
  examplesOf(node).map(({ value }) => make('p', { class: 'quiet' }, 'Example: ', make('code', {}, exampleText(value))))

function responseView(place, status, response) {
  const isOpen = /^[23]/u.test(status)
  const details = make(
    'details',
    { class: 'response', open: isOpen },
    make(
      'summary',
      {},
      make('span', { class: 'code' }, status),
      ' ',
      prose(response.description ?? ''),
      ' ',
      isDecided(response) && sign('decision', 'decision of the double', 'warn strong'),
    ),
  )
  // A large contract has thousands of responses. Only opened ones are created.
  if (isOpen) details.append(responseContent(place, response))
  else details.addEventListener('toggle', () => details.append(responseContent(place, response)), { once: true })
  return details
}

function responseContent(place, response) {
  const headers = Object.entries(response.headers ?? {})
  return make(
    'div',
    { class: 'stack' },
    assumption(response),
    headers.length > 0 &&
      make(
        'dl',
        { class: 'items' },
        ...headers.flatMap(([name, header]) =>
          parameterView(place, { ...resolve(place.document, header), name, in: 'header', required: true }),
        ),
      ),
    ...contentViews(place, response),
  )
}

/** Tells whether a response contains a decision, which is hidden while the response is collapsed. */
const isDecided = (response) =>
  [response, ...Object.values(response.content ?? {}).map(({ schema }) => schema)].some(
    (node) => node?.['x-assumption'],
  )

/** Creates the views of a body, one for each media type. */
function contentViews(place, { content, description, required }) {
  return [
    // Only a request body has `required`. The description of a response is in its summary line.
    required !== undefined && description && make('p', {}, prose(description)),
    ...Object.entries(content ?? {}).map(([mediaType, media]) =>
      make(
        'div',
        { class: 'stack' },
        make('p', { class: 'quiet' }, make('code', {}, mediaType)),
        media.schema && schemaView(place, media.schema),
        ...examplesOf(media).map(({ summary, value }) =>
          make(
            'figure',
            { class: 'stack example' },
            make('figcaption', { class: 'quiet' }, summary ? `Example: ${summary}` : 'Example'),
            make('pre', {}, make('code', { dir: 'auto' }, exampleText(value))),
          ),
        ),
      ),
    ),
  ]
}
