/** Shows only some properties of records, as a parameter such as `fields=id,emails.email` asks. */
import type { Operation } from '../../contract/contract.js'
import { itemsOf, objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { parameterOverrideOf } from '../read-overrides.js'
import type { ResourceRequest } from '../roles/role.js'
import { textsIn } from './scalars.js'

const isNamed = /^(?:opt_?)?(?:fields|select)$/iu

/** A parameter with a syntax of its own, such as `a{b}`, or with values such as `all` is not read. */
const isTold =
  /^(?!.*[{(]|.*[`"']?\b(?:all|none)\b[`"']? or [`"']?(?:all|none)\b).*\b(?:only|fields? to (?:include|return|show))\b/isu

/** Finds the parameter of an operation whose description says that it names the properties to show. Undefined: there is none. */
export function findFields({ parameters }: Operation, schema: JsonObject) {
  const parameter = parameters.find(
    (each) =>
      each.in === 'query' &&
      isNamed.test(each.name) &&
      isTold.test(each.description) &&
      scalarType(itemsOf(each.schema) ?? each.schema) === 'string' &&
      parameterOverrideOf(each) !== 'ignore',
  )
  if (!parameter) return undefined
  const { properties, required } = objectSchema(schema) ?? {}
  if (properties && [...properties.keys()].every((each) => required?.has(each))) return undefined
  const { name } = parameter
  return {
    name,
    effects: new Map([[name, { kind: 'fields' } as const]]),
    /** Returns a function that leaves the other properties out of a shown record. Undefined: the request names none. */
    asked: ({ query }: ResourceRequest): ((shown: JsonObject) => JsonObject) | undefined => {
      const value = query[name] ?? ''
      if (value === '') return undefined
      const paths = textsIn(value)
      return (shown) => objectOf(pick(shown, schema, paths))
    },
  }
}

/** Keeps the named properties, and those that the schema requires. */
function pick(value: unknown, schema: JsonObject, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => pick(item, itemsOf(schema) ?? {}, paths))
  if (!isObject(value)) return value
  const { properties, required } = objectSchema(schema) ?? {}
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const own = paths.filter((path) => path === name || path.startsWith(`${name}.`))
    if (own.length === 0 && required?.has(name) !== true) return []
    const isWhole = own.length === 0 || own.includes(name)
    const below = own.map((path) => path.slice(name.length + 1))
    return [[name, isWhole ? inner : pick(inner, properties?.get(name) ?? {}, below)] as const]
  })
  return Object.fromEntries(kept)
}
