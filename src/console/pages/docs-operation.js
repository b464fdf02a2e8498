import { curl } from './docs-curl.js'
/** One operation: how it is called, what it takes, and what it answers. */
import { schemaView, typeView } from './docs-schema.js'
import { assumption, examplesOf, exampleText, prose, resolve } from './docs-text.js'
import { copyable, make } from './dom.js'

/** The methods that an OpenAPI path may have. */
export const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace']

export function createOperation(place, operation) {
  const { description, id, isRootOnly, method, parameters, path, responses = {}, summary } = operation
  const anchor = `${place.name}-${id}`
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
    isRootOnly && make('p', { class: 'quiet' }, 'At the root’s base URL only.'),
    assumption(operation),
    copyable(curl(place, operation, body), `the command for ${id}`),
    parameters.length > 0 && make('h4', {}, 'Parameters'),
    parameters.length > 0 &&
      make('dl', { class: 'items' }, ...parameters.flatMap((parameter) => parameterView(place, parameter))),
    body && make('h4', {}, `Request body, ${body.required ? 'required' : 'optional'}`),
    body && make('div', { class: 'stack' }, ...contentViews(place, body)),
    make('h4', {}, 'Replies'),
    make(
      'div',
      { class: 'stack' },
      ...Object.entries(responses).map(([status, reply]) => replyView(place, status, resolve(place.document, reply))),
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

function replyView(place, status, reply) {
  const headers = Object.entries(reply.headers ?? {})
  return make(
    'details',
    { class: 'reply', open: /^[23]/u.test(status) },
    make(
      'summary',
      {},
      make('span', { class: 'code' }, status),
      ' ',
      prose(reply.description ?? ''),
      isDecided(reply) && make('span', { class: 'warn strong' }, ' ◆ decided here'),
    ),
    make(
      'div',
      { class: 'stack' },
      assumption(reply),
      headers.length > 0 &&
        make(
          'dl',
          { class: 'items' },
          ...headers.flatMap(([name, header]) =>
            parameterView(place, { ...resolve(place.document, header), name, in: 'header', required: true }),
          ),
        ),
      ...contentViews(place, reply),
    ),
  )
}

/** Whether a reply has a decision to show, which is hidden as long as the reply is closed. */
const isDecided = (reply) =>
  [reply, ...Object.values(reply.content ?? {}).map(({ schema }) => schema)].some((node) => node?.['x-assumption'])

/** What a body may be, a media type at a time. */
function contentViews(place, { content, description, required }) {
  return [
    // A reply's description stands in its line; only a request body has `required`.
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
