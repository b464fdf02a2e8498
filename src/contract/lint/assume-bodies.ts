/** Assumes the bodies of responses that a contract leaves out: those of a collection whose requests alone have schemas. */
import { isObject, type JsonObject, listOf, objectAt, objectOf, setProperty } from '../../documents/object.js'
import { toPointer } from '../../documents/pointer.js'
import { isSecretName } from '../../redaction.js'
import { jsonTypeIn } from '../media-types.js'
import { asSegments, parameterNames } from '../path-template.js'
import type { Cursor } from '../references.js'
import type { Findings } from './findings.js'

/**
 * Adds the records that its create takes to a collection, such as `/pets` and `/pets/{petId}`, that documents no body of any success, or whose
 * list shows objects of a schema without properties, in the copy that is linted. Each addition is a finding.
 */
export function assumeBodies(top: Cursor, { note }: Findings): void {
  const all = top.at('paths').children()
  const items = new Map(
    all.flatMap((each) => {
      const [, collection] = /^(.+)\/\{[^{}]*\}$/u.exec(asSegments(each[0])) ?? []
      return collection === undefined ? [] : [[collection, each] as const]
    }),
  )
  for (const [path, collection] of all) {
    const [itemPath = '', item] = items.get(asSegments(path)) ?? []
    if (!item) continue
    const [list, create] = [collection.at('get'), collection.at('post')]
    const contents = create.at('requestBody', 'content').children()
    const body = contents.find(([type]) => jsonTypeIn(type) !== undefined)?.[1].at('schema')
    const others = ['get', 'put', 'patch'].map((method) => item.at(method))
    const operations = [list, create, ...others].filter(({ value }) => isObject(value))
    const record = body && recordOf(body, parameterNames(itemPath).at(-1) ?? '', operations)
    if (!record) continue
    const open = openItemsOf(list)
    if (open) {
      note(open.path, `has no properties, so it is assumed to be what POST ${path} takes`, 'document its properties')
      setProperty(objectOf(open.value), 'allOf', [record])
    }
    // An object with the list somewhere in it is not a list.
    const isWrapped = contentsOf(list).some(([, media]) => objectOf(media.at('schema').value)['type'] === 'object')
    if (!isObject(list.value) || isWrapped) continue
    if (operations.some((each) => documentsBody(each) || isDeclared(each))) continue
    for (const operation of operations) {
      const [status, response] = successesOf(operation)[0] ?? []
      if (status === undefined || !isObject(response?.value) || status === '204') continue
      const schema = operation === list ? { type: 'array', items: record } : record
      const shown = { ...response.value, content: { 'application/json': { schema } } }
      setProperty(objectOf(operation.at('responses').value), status, shown)
      const what = `says nothing of its body, so it is assumed: ${operation === list ? 'a list of what' : 'what'} POST ${path} takes`
      note([...operation.path, 'responses', status], what, 'document it, or set x-double to mocked', 'key')
    }
  }
}

const successesOf = (operation: Cursor): readonly (readonly [string, Cursor])[] =>
  operation
    .at('responses')
    .children()
    .filter(([status]) => status.startsWith('2'))

const contentsOf = (operation: Cursor): readonly (readonly [mediaType: string, media: Cursor])[] =>
  successesOf(operation).flatMap(([, response]) => response.at('content').children())

/** Finds the shared schema of the objects in a list, if it names no property. Undefined: it names some, or no list of objects is there. */
function openItemsOf(list: Cursor): Cursor | undefined {
  const schemas = contentsOf(list).map(([, media]) => media.at('schema'))
  const rows = schemas.flatMap((schema) => [schema, ...schema.at('properties').items()].map((each) => each.at('items')))
  return rows.find((row) => row.path[0] === 'components' && objectOf(row.value)['type'] === 'object' && isOpen(row))
}

/** Tells whether a success has a schema that says something or an example, or a media type that is not JSON. FastAPI writes `schema: {}` for any value. */
const documentsBody = (operation: Cursor): boolean =>
  contentsOf(operation).some(([type, media]) => {
    const isTold = media.children().some(([name, child]) => name !== 'schema' || !isOpen(child))
    return jsonTypeIn(type) === undefined || isTold
  })

/** Tells whether a schema allows any value, or any object. */
const isOpen = ({ value }: Cursor): boolean =>
  isObject(value) &&
  (value['type'] ?? 'object') === 'object' &&
  ['properties', 'allOf', 'anyOf', 'oneOf', '$ref', 'items', 'enum', 'const', 'x-double'].every(
    (name) => value[name] === undefined,
  )

const isDeclared = ({ value }: Cursor): boolean => objectOf(value)['x-double'] !== undefined

/** Returns the schema of a record: that of a create, with an id if it has none. Undefined: it is no object, or its records have no id that a path names. */
function recordOf(body: Cursor, parameter: string, operations: readonly Cursor[]): JsonObject | undefined {
  const properties = objectAt(body.value, 'properties')
  // No response shows a password.
  const isShown = (name: unknown): boolean => !isSecretName(String(name))
  const shown = Object.fromEntries(Object.entries(properties).filter(([name]) => isShown(name)))
  const required = listOf(objectOf(body.value)['required']).filter(isShown)
  const isWhole = Object.keys(shown).length === Object.keys(properties).length
  // Elysia and others refuse further properties of a request. The record has an id, too.
  const { additionalProperties: _, ...open } = objectOf(body.value)
  const isSame = isWhole && objectOf(body.value)['additionalProperties'] !== false
  const reference = isSame ? { $ref: toPointer(body.path) } : { ...open, properties: shown, required }
  if (Object.keys(properties).length === 0) return undefined
  if ([parameter, 'id', '_id'].some((name) => Object.hasOwn(properties, name))) return reference
  if (!/id$/iu.test(parameter)) return undefined
  const declared = operations.flatMap((each) => each.at('parameters').items())
  const own = objectOf(declared.find((each) => each.at('name').value === parameter)?.at('schema').value)
  const types = [own, ...listOf(own['anyOf'])].flatMap((each) => objectOf(each)['type'] ?? [])
  const type = types.find((each) => each === 'number' || each === 'integer') ?? types[0] ?? 'string'
  const id = { type: 'object', properties: { id: { type, readOnly: true } }, required: ['id'] }
  return { allOf: [id, reference] }
}
