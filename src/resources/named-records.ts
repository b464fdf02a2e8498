/** Finds the records that path parameters name in another way than by their ids: `me`, a slug, or a name in which the case does not count. */
import type { Operation, Parameter } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
import type { Id } from './ids.js'
import { aliasesOf } from './infer/id-property.js'
import { holdersByPath } from './infer/parents.js'
import type { StatefulCollection } from './missing-parent.js'
import type { Records } from './records/records.js'
import { type Caller, recordsOf, type State } from './records/state.js'
import { findByAlias, pathValue } from './roles/find-record.js'
import type { Decision, ParameterValue, RequestHandler } from './roles/role.js'

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

type FindIds = (value: ParameterValue, state: State, caller: Caller | undefined) => readonly Id[]

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
    const ofName = all.filter(({ model }) => model.parameter?.name === name && name !== 'id')
    const holders = isOwn ? [own] : [...new Set([...ofName, ...holdersByPath(operation.path, name, all)])]
    const aliased = holders.flatMap(({ model, name: collection }) => {
      const { aliases: its, idProperty, recordModel } = model
      const aliases = isOwn ? its : [...its, ...aliasesOf(parameter, recordModel.properties, idProperty)]
      return aliases.length > 0 ? [{ model: { ...model, aliases }, collection }] : []
    })
    const isLoose = /\bnot case.sensitive|\bcase.insensitive/iu.test(description)
    const parent = own.model.parents.find((each) => each.parameter === name)
    const spelled = isOwn ? own.model.idProperty : (parent?.property ?? parent?.key)
    const isOutside = parent !== undefined && parent.property === undefined
    const idsFor: FindIds = (value, state, caller) => {
      const isCaller = isMe && /^(?:me|current|self)$/u.test(String(value))
      const mine = isCaller ? holders.flatMap((each) => caller?.records?.get(each.name) ?? []) : []
      const ids = aliased.flatMap(({ collection, model }) =>
        findByAlias(model, recordsOf(state, collection), String(value)),
      )
      const isSpelled = isLoose && spelled !== undefined
      const like = isSpelled ? valuesLike(recordsOf(state, own.name), spelled, isOutside, value) : []
      return [...mine, ...ids, ...like]
    }
    return place === 'path' && (isMe || isLoose || aliased.length > 0) ? [{ name, idsFor }] : []
  })
  if (named.length === 0) return handler
  return (state, caller, request, context) => {
    const path = { ...request.path }
    for (const { idsFor, name } of named) {
      const value = pathValue(request, name)
      const [id = value] = idsFor(value, state, caller)
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
