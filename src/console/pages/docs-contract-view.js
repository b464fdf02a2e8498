/** One contract: description, operations and schemas. */
import { assumption, prose } from './docs-descriptions.js'
import { createOperation, methods, operationAnchor } from './docs-operation-view.js'
import { resolve } from './docs-resolve-reference.js'
import { schemaAnchor, schemaView } from './docs-schema-view.js'
import { make } from './dom.js'

/**
 * Creates the view.
 *
 * @param {string} name - Prefix of the anchors.
 * @param {object} document - An OpenAPI document.
 * @returns {{ title: string, element: Element, links: Element[] }}
 */
export function createContractView(name, document) {
  const { components = {}, info } = document
  const place = { name, document }
  const operations = operationsIn(place)
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
        { href: `#${operationAnchor(name, id)}` },
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
function operationsIn({ document, name }) {
  return Object.entries(document.paths ?? {}).flatMap(([path, node]) => {
    const item = resolve(document, node)
    return methods
      .filter((method) => item[method] !== undefined)
      .map((method) => {
        const operation = item[method]
        return {
          ...operation,
          method,
          path,
          id: operation.operationId ?? `${method.toUpperCase()} ${path}`,
          parameters: parametersOf(document, item, operation),
          security: operation.security ?? document.security ?? [],
          // In the contract of the control plane, a path item with its own servers is served at the root only.
          isRootOnly: name === 'control' && (operation.servers ?? item.servers) !== undefined,
        }
      })
  })
}

/** Returns the parameters of an operation. A parameter of the operation replaces one of the path item with the same name and `in`. */
function parametersOf(document, item, operation) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
  const resolved = parameters.map((parameter) => resolve(document, parameter))
  return [...new Map(resolved.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()]
}
