/** Finds the records that path parameters name in another way than by their ids: `me`, or a slug. */
import type { Operation, Parameter } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
import type { Id } from './ids.js'
import { aliasesOf } from './infer/id-property.js'
import { holdersByPath } from './infer/parents.js'
import type { StatefulCollection } from './missing-parent.js'
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
 * and `me` for the caller's own record, where the description says so.
 */
export function withNamedRecords<T>(
  operation: Operation,
  own: StatefulCollection,
  all: readonly StatefulCollection[],
  handler: RequestHandler<T>,
): RequestHandler<T> {
  const last = parameterNames(operation.path).at(-1)
  const named = operation.parameters.flatMap((parameter) => {
    const { in: place, name } = parameter
    const isMe = mayBeMe(parameter)
    const isOwn = name === last && own.model.parameter?.name === name
    const ofName = all.filter(({ model }) => model.parameter?.name === name && name !== 'id')
    const holders = isOwn ? [own] : [...new Set([...ofName, ...holdersByPath(operation.path, name, all)])]
    const aliased = holders.flatMap(({ model, name: collection }) => {
      const { aliases: its, idProperty, recordModel } = model
      const aliases = isOwn ? its : [...its, ...aliasesOf(parameter, recordModel.properties, idProperty)]
      return aliases.length > 0 ? [{ model: { ...model, aliases }, collection }] : []
    })
    const idsFor: FindIds = (value, state, caller) => {
      const isCaller = isMe && /^(?:me|current|self)$/u.test(String(value))
      const mine = isCaller ? holders.flatMap((each) => caller?.records?.get(each.name) ?? []) : []
      const ids = aliased.flatMap(({ collection, model }) =>
        findByAlias(model, recordsOf(state, collection), String(value)),
      )
      return [...mine, ...ids]
    }
    return place === 'path' && (isMe || aliased.length > 0) ? [{ name, idsFor }] : []
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
