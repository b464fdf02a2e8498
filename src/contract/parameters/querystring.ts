/** Parameters with `in: querystring` (OpenAPI 3.2): the whole query as one value. A form is the same as an exploded object in the query. */
import { isObject, type JsonObject, objectAt } from '../../documents/object.js'

export const formMediaType = 'application/x-www-form-urlencoded'

/** Tells whether the query is documented as a form. Other media types are not enforced. */
export const isFormInQuery = (parameter: unknown): boolean =>
  isObject(parameter) && Object.hasOwn(objectAt(parameter, 'content'), formMediaType)

/** Returns the same parameter as an exploded object in the query. */
export function asQueryParameter({ content, ...parameter }: JsonObject): JsonObject {
  const { schema } = objectAt(content, formMediaType)
  return { ...parameter, in: 'query', style: 'form', explode: true, schema }
}
