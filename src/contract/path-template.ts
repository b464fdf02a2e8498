/** Path templates of OpenAPI, such as `/orders/{orderId}`. */

const parameter = /\{([^{}]*)\}/gu

export const parameterNames = (template: string) => [...template.matchAll(parameter)].map(([, name = '']) => name)

/** Replaces each parameter by a value, which the caller encodes. */
export const fillTemplate = (template: string, valueOf: (name: string) => string): string =>
  template.replaceAll(parameter, (_braces, name: string) => valueOf(name))

/** Returns a template up to a parameter, and with it. Empty: it has no such parameter. */
export function untilParameter(template: string, name: string): string {
  const [before = '', after] = template.split(`{${name}}`)
  return after === undefined ? '' : `${before}{${name}}`
}

/** Two templates of the same shape match the same paths. */
export const shapeOf = (template: string): string => fillTemplate(template, () => '{}')

export const literalSegments = (template: string): readonly string[] =>
  template.split('/').filter((segment) => segment !== '' && !segment.includes('{'))

/** Returns the last literal segment, which names what the path is about. Empty: there is none. */
export const lastLiteral = (template: string): string => literalSegments(template).at(-1) ?? ''

/** Returns a path as its segments mean it: `/pets/`, `/pets.json` and `/pets.{format}` are `/pets`, `/pets({id})` is `/pets/{id}`, `/pets/{id}:feed` is `/pets/{id}/feed`, and `/v{version}` is `/v`. */
export const asSegments = (template: string): string =>
  template
    .replace(/(.)\/$/u, '$1')
    .replace(/\/v\{\w*version\}(?=\/)/iu, '/v')
    .replace(/\.(?:json|\{format\})$/u, '')
    .replaceAll(/\('?(\{[^{}]*\})'?\)/gu, '/$1')
    .replace(/:([^/{}:]+)$/u, '/$1')
