/** Explains the role of each operation, the effect of each parameter, and the reasons. */
import { type Parameter, responseOverrideOf } from '../contract/contract.js'
import { asSegments, lastLiteral, parameterNames } from '../contract/path-template.js'
import { itemsOf, propertiesOf } from '../contract/schemas/read-schema.js'
import { isOfOther, statusOfError } from '../contract/told-status.js'
import type { JsonObject } from '../documents/object.js'
import { onceForObject } from '../once.js'
import type { ExplainedOperation, Explanation, HttpEffect, OperationSummary, ResourcesSummary } from './explanation.js'
import { effectOfHeader } from './http-effects.js'
import type { CollectionModel } from './infer/collection-model.js'
import { lastParameterOf } from './infer/collection-paths.js'
import { shape } from './infer/parents.js'
import { countShared } from './infer/record-body.js'
import { successResponseOf } from './infer/success-response.js'
import type { Service } from './load-service.js'
import { isSameName, singularOf } from './names.js'
import type { Collection } from './resources.js'
import type { Decision, StatefulDecision } from './roles/role.js'
import { rulesInTexts } from './rules-in-texts.js'

/** The handlers of the user take precedence over roles. */
type Explained = Pick<Service, 'resources'> & Partial<Pick<Service, 'userHandlers'>>

/** An explanation also has lines and filled properties, which take long in a large contract. */
export const summarizeResources = (explained: Explained): ResourcesSummary => ({
  operations: [...explained.resources.decisions.values()].map((decision) => summarizeOperation(decision, explained)),
  securitySchemes: [...explained.resources.contract.securitySchemes.values()],
})

const isHandled = ({ userHandlers }: Explained, id: string): boolean => userHandlers?.byOperation.has(id) === true

/** Explains all operations, once for each service: the console asks again after each request. */
export const explainResources = onceForObject((explained: Explained): Explanation => {
  const { collections, contract, decisions } = explained.resources
  return {
    collections: collections.map(({ model, name, operations }) => ({
      name,
      path: model.path,
      ...(model.itemPath === undefined ? {} : { itemPath: model.itemPath }),
      id: model.idPath.join('.'),
      operations: Object.fromEntries(
        [...operations].filter(([, { id }]) => !isHandled(explained, id)).map(([role, { id }]) => [role, id]),
      ),
    })),
    operations: [...decisions.values()].map((decision) => explainOperation(decision, explained)),
    securitySchemes: [...contract.securitySchemes.values()],
  }
})

/** Lists the listings that a client cannot read to the end: a parameter caps them, and none leads to further pages. */
export const cutListings = (operations: readonly OperationSummary[]): readonly string[] =>
  operations.flatMap(({ operation, parameters, role }) => {
    const effects = parameters.flatMap(({ acts }) => (acts ? Object.values(acts.parts ?? [acts]) : []))
    const isCut = effects.some(({ maximum }) => maximum !== undefined)
    const goesOn = effects.some(({ kind }) => kind === 'cursor' || kind === 'page' || kind === 'skip')
    return role === 'list' && isCut && !goesOn ? [operation] : []
  })

/** Lists the parameters of stateful operations, and the parts of these, that have no effect, by operation; then what else is not acted on. */
export const ineffectiveParameters = (
  operations: readonly (OperationSummary & Pick<ExplainedOperation, 'copies' | 'unset'>)[],
): readonly string[] =>
  operations.flatMap(({ copies = [], operation, parameters, role, unset = [] }) => {
    const unused = parameters.flatMap(({ acts, name }): readonly string[] => {
      const { ignored = [] } = acts ?? {}
      if (acts?.kind === 'group') return ignored
      return acts === null ? [name] : ignored.length > 0 ? [`${name} (${ignored.join(', ')})`] : []
    })
    const names = role === 'mocked' ? [] : unused
    return [
      ...(names.length > 0 ? [names.join(', ')] : []),
      ...copies.map((name) => `${name} is a copy, which does not change with its records`),
      ...unset.map(
        (name) => `${name} is filled where a client leaves it out, so such a record is in no list of its own`,
      ),
    ].map((line) => `${operation}: ${line}`)
  })

/** Lists the parameters that name the records of collections. */
const parametersOf = onceForObject(
  (collections: readonly Collection[]) => new Set(collections.flatMap(({ model }) => model.parameter?.name ?? [])),
)

/** Lists the properties of a record that contain the records of another collection, by their schema, their path, or their name and properties. */
const copiesIn = onceForObject((collections: readonly Collection[]) =>
  onceForObject(({ model }: Collection): readonly string[] => {
    const others = collections.flatMap((each) => (each.model === model ? [] : each.model))
    const schemas = new Set(others.flatMap(({ recordModel }) => recordModel.schemas))
    const paths = new Set(others.map(({ path }) => path))
    const things = others.map(({ path, recordModel }) => [singularOf(lastLiteral(path)), recordModel] as const)
    const isCopy = ([name, schema]: readonly [string, JsonObject], at: string, depth: number): boolean => {
      const items = itemsOf(schema) ?? schema
      const properties = propertiesOf(items)
      if (schemas.has(items) || paths.has(`${at}/${name}`)) return true
      // JSON:API has a path for each of them.
      if (properties.size < 2 && name !== 'relationships') return false
      const own = singularOf(name)
      if (things.some(([thing, its]) => isSameName(own, thing) && countShared(items, its.properties) > 1)) return true
      return depth < 2 && [...properties].some((each) => isCopy(each, `${at}/${name}`, depth + 1))
    }
    // The `spec` of a scale below a deployment, which has one too.
    const above = model.kind === 'singleton' ? others.find((each) => isDirectlyBelow(model.path, each)) : undefined
    const isOfRecord = ([name, schema]: readonly [string, JsonObject]): boolean => {
      const own = above?.recordModel.properties.get(name)
      return own !== undefined && countShared(schema, propertiesOf(own)) > 0
    }
    return [...model.recordModel.properties]
      .filter((each) => isCopy(each, model.itemPath ?? model.path, 0) || isOfRecord(each))
      .map(([name]) => name)
  }),
)

const isDirectlyBelow = (path: string, { itemPath }: CollectionModel): boolean =>
  itemPath !== undefined && shape(path).replace(/\/[^/]*$/u, '') === shape(itemPath)

function explainOperation(decision: Decision, explained: Explained): ExplainedOperation {
  const { place, scopes } = decision.operation
  const summary = summarizeOperation(decision, explained)
  const stateful = decision.role === 'mocked' || summary.role === 'handler' ? undefined : decision
  const filled = stateful ? filledBy(stateful) : []
  const leftOut = stateful?.match.leftOut?.() ?? []
  const notStored = stateful?.match.notStored ?? []
  const { collections, contract } = explained.resources
  const own = stateful && collections.find(({ name }) => name === stateful.collection)
  const copies =
    own && /^(?:list|read|singleton|create|replace|update)$/u.test(stateful.role) ? copiesIn(collections)(own) : []
  const unset = own && stateful.role === 'list' ? unsetIn(stateful, own, explained) : []
  const effects =
    decision.role !== 'mocked' ? (stateful?.httpEffects ?? []) : decision.findMissing ? ['parent' as const] : []
  const neverSent = stateful ? findNeverSent(stateful, own?.model) : []
  const rules = stateful ? rulesInTexts(stateful, own?.model, neverSent, parametersOf(collections)) : []
  return {
    ...summary,
    ...(decision.role === 'mocked' && summary.role === 'mocked' ? { reason: decision.reason } : {}),
    ...('match' in decision && summary.role !== 'handler' ? { basis: decision.match.basis ?? 'certain' } : {}),
    line: place.line,
    ...(place.file === contract.file ? {} : { file: place.file }),
    ...(filled.length > 0 ? { filled } : {}),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    ...(notStored.length > 0 ? { notStored } : {}),
    ...(copies.length > 0 ? { copies } : {}),
    ...(unset.length > 0 ? { unset } : {}),
    ...(neverSent.length > 0 ? { neverSent } : {}),
    ...(rules.length > 0 ? { rulesInTexts: rules } : {}),
    ...(effects.length > 0 ? { effects } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
  }
}

/** Lists the properties that the path of a listing names, and that a creation fills in. */
function unsetIn({ operation }: StatefulDecision, { model, operations }: Collection, { resources }: Explained) {
  const create = operations.get('create')
  const creation = create && resources.decisions.get(create)
  const filled = creation && creation.role !== 'mocked' ? (creation.match.filled?.() ?? []) : []
  const named = parameterNames(operation.path)
  return model.parents.flatMap(({ parameter, property }) =>
    property !== undefined && named.includes(parameter) && filled.includes(property) ? [property] : [],
  )
}

/** Lists the documented statuses 400 to 499 that no request to an operation has as its response. */
function findNeverSent({ httpEffects, operation, role }: StatefulDecision, model: CollectionModel | undefined) {
  const { parameters, requestBody, responses, security } = operation
  const has = (...effects: readonly HttpEffect[]): boolean => effects.some((each) => httpEffects.includes(each))
  const takesId = requestBody?.contents.some(({ schema }) => propertiesOf(schema).has(model?.idProperty ?? '')) === true
  const sent = [
    ...(parameters.length > 0 || requestBody ? [400] : []),
    ...(security.length > 0 ? [401] : []),
    ...((role !== 'list' && role !== 'create') || has('parent') ? [404] : []),
    ...(has('clash') || (role === 'create' && takesId) ? [409] : []),
    ...(has('if-match', 'if-none-match') ? [412, 428] : []),
    ...(requestBody ? [413, 415] : []),
    ...(has('idempotency') ? [422] : []),
  ]
  const isElse = ['body', 'path'].some((place) => isOfOther(operation, place, true))
  const others = isElse && sent.includes(400) ? [statusOfError(operation, 400, true)] : []
  const statuses = new Set([...sent.map((each) => statusOfError(operation, each)), ...others])
  const never = responses.filter((each) => /^4\d\d$/u.test(each.status) && responseOverrideOf(each).length === 0)
  return never.flatMap(({ status }) => (statuses.has(Number(status)) ? [] : [status]))
}

function summarizeOperation(decision: Decision, explained: Explained): OperationSummary {
  const { id, method, parameters, path, security } = decision.operation
  const role = isHandled(explained, id) ? 'handler' : decision.role
  return {
    operation: id,
    method,
    path,
    role,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      acts: role === 'handler' ? { kind: role } : actsOf(decision, parameter, explained),
    })),
    ...(security.length > 0 ? { security: security.map((combination) => combination.map(({ name }) => name)) } : {}),
  }
}

/** Lists what is filled from examples: properties, and headers that the response must have. */
function filledBy({ httpEffects, match, operation }: StatefulDecision): readonly string[] {
  const headers = Object.keys(successResponseOf(operation).headers).filter(
    (name) => name !== 'etag' || !httpEffects.includes('etag'),
  )
  return [...new Set([...(match.filled?.() ?? []), ...headers.map((name) => `header ${name}`)])]
}

function actsOf(
  decision: Decision,
  { in: place, name }: Parameter,
  { resources }: Explained,
): OperationSummary['parameters'][number]['acts'] {
  if (decision.role === 'mocked') return null
  if (place === 'header') {
    const kind = effectOfHeader(decision, name)
    return kind ? { kind } : null
  }
  if (place !== 'path') return (place === 'query' && decision.match.effects?.get(name)) || null
  // A suffix such as `.{format}` is no part of what a path names.
  if (!parameterNames(asSegments(decision.operation.path)).includes(name)) return null
  const isOnCollection = ['list', 'create', 'singleton'].includes(decision.role)
  if (!isOnCollection && lastParameterOf(decision.operation.path) === name) return { kind: 'record' }
  const own = resources.collections.find((each) => each.name === decision.collection)
  const { property } = own?.model.parents.find(({ parameter }) => parameter === name) ?? {}
  return { kind: decision.role === 'create' ? 'set' : 'parent', ...(property === undefined ? {} : { property }) }
}
