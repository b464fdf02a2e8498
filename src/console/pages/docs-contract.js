/** One contract: description, operations and schemas. */
import { createOperation, methods } from './docs-operation.js'
import { schemaAnchor, schemaView } from './docs-schema.js'
import { assumption, prose, resolve } from './docs-text.js'
import { make } from './dom.js'

/**
 * Creates the view.
 *
 * @param {string} name - Prefix of the anchors.
 * @param {object} document - An OpenAPI document.
 * @returns {{ title: string, element: Element, links: Element[] }}
 */
export function createContract(name, document) {
  const { components = {}, info } = document
  const place = { name, document }
  const operations = operationsIn(document)
  const schemas = Object.entries(components.schemas ?? {})
  const element = make(
    'section',
    { class: 'contract', id: name, 'aria-labelledby': `${name}-title` },
    make('h2', { id: `${name}-title` }, info.title),
    make(
      'p',
      {},
      make('span', { class: 'quiet' }, `Contract version ${info.version}. `),
      info.summary && prose(info.summary),
    ),
    info.description && make('p', {}, prose(info.description)),
    assumption(info),
    assumption(document),
    ...securityViews(document),
    ...operations.map((operation) => createOperation(place, operation)),
    schemas.length > 0 && make('h3', { id: `${name}-schemas` }, 'Schemas'),
    ...schemas.map(([title, schema]) =>
      make(
        'section',
        { class: 'panel', id: schemaAnchor(name, title), 'aria-labelledby': `${schemaAnchor(name, title)}-title` },
        make('h4', { id: `${schemaAnchor(name, title)}-title` }, title),
        schemaView(place, schema),
      ),
    ),
  )
  const links = operations.map(({ id, method, path }) =>
    make(
      'li',
      {},
      make(
        'a',
        { href: `#${name}-${id}` },
        make('span', { class: `method method-${method}` }, method.toUpperCase()),
        ` ${path}`,
      ),
    ),
  )
  return { title: info.title, element, links }
}

/** Creates the views of the security schemes. */
function securityViews(document) {
  return Object.entries(document.components?.securitySchemes ?? {}).map(([title, node]) => {
    const scheme = resolve(document, node)
    return make(
      'div',
      { class: 'panel' },
      make('h3', {}, 'Credential: ', make('code', {}, title)),
      make('p', { class: 'quiet' }, [scheme.type, scheme.scheme, scheme.in, scheme.name].filter(Boolean).join(' ')),
      scheme.description && make('p', {}, prose(scheme.description)),
      assumption(scheme),
    )
  })
}

/** Returns the operations in the order of the document, with the parameters of their path items. */
function operationsIn(document) {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] !== undefined)
      .map((method) => {
        const operation = item[method]
        const own = operation.parameters ?? []
        return {
          ...operation,
          method,
          path,
          id: operation.operationId ?? `${method}-${path}`,
          parameters: [...(item.parameters ?? []), ...own].map((parameter) => resolve(document, parameter)),
          security: operation.security ?? document.security ?? [],
          // A path item with its own servers is served at the root only.
          isRootOnly: (operation.servers ?? item.servers) !== undefined,
        }
      }),
  )
}
