/** Finds the records that path parameters name in another way than by their ids: `me`, a slug, or a name in which the case does not count. */
import type { Operation, Parameter } from '../contract/contract.js'
import { parameterNames, shapeOf } from '../contract/path-template.js'
import { groupBy } from '../documents/object.js'
import { onceFor } from '../once.js'
import { aliasesOf } from './infer/id-property.js'
import type { StatefulCollection } from './missing-parent.js'
import type { Records } from './records/records.js'
import { recordsOf } from './records/state.js'
import { findByAlias, pathValue } from './roles/find-record.js'
import type { Decision, RequestHandler } from './roles/role.js'

/** Tells whether a path parameter may be `me`, or another name of the record of the caller. */
const mayBeMe = ({ description }: Parameter): boolean => /[`"'](?:me|current|self)[`"']|\bbe me\b/iu.test(description)

/** Names the collections of which a caller may have a record of its own: an operation shows it, or the path of a record takes `me`. */
export function collectionsOfCallers(decisions: Iterable<Decision>): ReadonlySet<string> {
  const takesMe = ({ operation, role }: Decision): boolean =>
    role !== 'list' && role !== 'create' && operation.parameters.some((each) => each.in === 'path' && mayBeMe(each))
  const own = [...decisions].flatMap((each) =>
    each.role === 'own-record' || (each.role !== 'mocked' && takesMe(each)) ? each.collection : [],
  )
  return new Set(own)
}

const byItemPath = onceFor(
  (all: readonly StatefulCollection[]) => groupBy(all, ({ model }) => shapeOf(model.itemPath ?? '')),
  new WeakMap(),
)

/**
 * Returns a handler for which path parameters that may name a record in another way have its id: a property such as `slug` for `org_id_or_slug`,
 * `me` for the caller's own record, and a name in which the case does not count, where the description says so.
 */
export function withNamedRecords<T>(
  operation: Operation,
  own: StatefulCollection,
  all: readonly StatefulCollection[],
  handler: RequestHandler<T>,
): RequestHandler<T> {
  const last = parameterNames(operation.path).at(-1)
  const named = operation.parameters.flatMap((parameter) => {
    const { description, in: place, name } = parameter
    const isMe = mayBeMe(parameter)
    const isOwn = name === last && own.model.parameter?.name === name
    const before = shapeOf(operation.path.slice(0, operation.path.indexOf(`{${name}}`) + name.length + 2))
    const ofName = all.filter(({ model }) => model.parameter?.name === name && name !== 'id')
    const holders = isOwn ? [own] : [...new Set([...ofName, ...(byItemPath(all).get(before) ?? [])])]
    const aliased = holders.flatMap(({ model, name: collection }) => {
      const { aliases: its, idProperty, recordModel } = model
      const aliases = isOwn ? its : [...its, ...aliasesOf(parameter, recordModel.properties, idProperty)]
      return aliases.length > 0 ? [{ model: { ...model, aliases }, collection }] : []
    })
    const isLoose = /\bnot case.sensitive|\bcase.insensitive/iu.test(description)
    const parent = own.model.parents.find((each) => each.parameter === name)
    const spelled = isOwn ? own.model.idProperty : (parent?.property ?? parent?.key)
    return place === 'path' && (isMe || isLoose || aliased.length > 0)
      ? [{ name, holders: isMe ? holders : [], aliased, spelled: isLoose ? spelled : undefined, parent }]
      : []
  })
  if (named.length === 0) return handler
  return (state, caller, request, context) => {
    const path = { ...request.path }
    for (const { aliased, holders, name, parent, spelled } of named) {
      const value = pathValue(request, name)
      const mine = /^(?:me|current|self)$/u.test(String(value))
        ? holders.flatMap((each) => caller?.records?.get(each.name) ?? [])
        : []
      const ids = aliased.flatMap(({ collection, model }) =>
        findByAlias(model, recordsOf(state, collection), String(value)),
      )
      const isOutside = parent !== undefined && parent.property === undefined
      const like = spelled === undefined ? [] : valuesLike(recordsOf(state, own.name), spelled, isOutside, value)
      const [id = value] = [...mine, ...ids, ...like]
      path[name] = id
    }
    return handler(state, caller, { ...request, path }, context)
  }
}

/** Finds the spellings of a value in records. @param isOutside - True if the property is in `$parents`. */
function valuesLike({ chunks }: Records, property: string, isOutside: boolean, value: unknown): readonly string[] {
  if (chunks.some((chunk) => chunk.having(property, isOutside).has(value))) return []
  const wanted = String(value).toLowerCase()
  const found = chunks.flatMap((chunk) => [...chunk.having(property, isOutside).keys()])
  return found.filter((each) => typeof each === 'string').filter((each) => each.toLowerCase() === wanted)
}
