import type { Json } from '../../contract/contract.js'
import { parameterNames } from '../../contract/path-template.js'
import { objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import type { SpecPath } from '../../contract/spec-places.js'
import { operationCursor, parameterCursor, responseKeyPath, responsePath } from '../../contract/spec-places.js'
import { isObject, objectOf } from '../../documents/object.js'
import { jsonIn } from '../../documents/parse-json.js'
import { withQuery } from '../../pull/requests.js'
import type { RoleName } from '../../resources/explanation.js'
import type { ProbeContext, ProbeKind } from '../probe-context.js'
import type { Probe, ProbeStep, ProbedOperation } from '../probe.js'
import { createdIdPlaceholder, probeOf, skippedProbe, stepOf, bodyParts, jsonContent } from '../probe.js'

export const notPermitted = 'it may change the service, which --may <operation> permits'

/** Names an operation that no request is sent to, so that the report contains it. */
export const notAsked = (probed: ProbedOperation): readonly Probe[] => {
  const { isPermitted, unfilled = '' } = probed
  if (isPermitted && probed.unfilled === undefined) return []
  const reason = isPermitted
    ? `no value of ${unfilled} is known, which --value ${unfilled}=<value> gives`
    : notPermitted
  return [skippedProbe(probed, 'all-probes', reason)]
}

export const isPermittedAs = ({ decision, isPermitted }: ProbedOperation, ...roles: readonly string[]): boolean =>
  isPermitted && roles.includes(decision.role)

/** Creates the request that a permitted operation creates a record with. Undefined: it creates none, or no valid body is known. */
export function creationStep(probed: ProbedOperation, context: ProbeContext, isLeast = false): ProbeStep | undefined {
  const { operation, path, query } = probed
  if (!isPermittedAs(probed, 'create')) return undefined
  const bodies = context.validBodies(probed, isLeast).filter(isObject)
  if (operation.requestBody && bodies.length === 0) return undefined
  const tests = responseKeyPath(context.contract, operation, operation.successStatus)
  const [removal] = itemSteps(context, probed, 'remove')
  const request = { ...stepOf(probed, withQuery(path, query), tests), ...bodyParts(probed, bodies) }
  return { ...request, isCreation: true, removal, knownIds: context.knownIds(probed), madeUp: context.nonce }
}

/** Creates a record with each permitted operation. The probe removes the record at its end. */
export const creations: ProbeKind = (probed, context) => {
  if (!isPermittedAs(probed, 'create')) return []
  const step = creationStep(probed, context)
  if (!step) return [skippedProbe(probed, 'creates', 'no valid body can be made for it')]
  return [probeOf(probed, 'creates', step, ...stepsAfterCreation(context, probed, step))]
}

/** Creates a record with as little as the service accepts, so that it fills in the rest. */
export const leastCreations: ProbeKind = (probed, context) => {
  const step = creationStep(probed, context, true)
  return step?.body ? [probeOf(probed, 'creates-with-little', step, ...itemSteps(context, probed, 'read'))] : []
}

/** Creates the request that creates the same once more: with the body that was accepted. */
export const repeatOf = (create: ProbeStep) => ({ ...withAcceptedBody(create), isRepeated: true })

/** Returns a creation with the only body that the service has accepted. Other bodies may be refused for another reason. */
function withAcceptedBody({ otherBodies = [], ...create }: ProbeStep) {
  return { ...create, variants: create.body === undefined ? [] : [create.body, ...otherBodies] }
}

/** The requests after a creation: read, list, change, read, create again, remove, remove again, read, list. */
function stepsAfterCreation(context: ProbeContext, created: ProbedOperation, step: ProbeStep): readonly ProbeStep[] {
  const again = repeatOf(step)
  const item = (role: RoleName, status?: number): readonly ProbeStep[] => itemSteps(context, created, role, status)
  const list = context.sibling(created, 'list')
  const tests = list ? responsePath(context.contract, list.operation, 200) : []
  const listing = context.listAll(created, tests, context.callers[0])
  const changes = [...item('update'), ...item('replace'), ...item('read')]
  const removals = [...item('remove'), ...item('remove', 404), ...item('read', 404)]
  const { collection, operation } = created
  const { idProperty = '' } = collection?.model ?? {}
  const isId = scalarType(objectSchema(objectOf(jsonContent(operation)?.schema))?.properties.get(idProperty) ?? {})
  const withId = (body: string): string =>
    JSON.stringify({ ...objectOf(jsonIn(body)), [idProperty]: createdIdPlaceholder })
  const sameId = isId === 'string' || isId === undefined ? [{ ...again, variants: again.variants.map(withId) }] : []
  return [...item('read'), ...listing, ...changes, again, ...sameId, ...removals, ...listing]
}

/** Creates the request of a role on the created record. Empty if it is not permitted, or takes a body that is not known. */
export function itemSteps(context: ProbeContext, created: ProbedOperation, role: RoleName, status?: number) {
  const probed = context.sibling(created, role)
  if (!probed?.isPermitted) return []
  const { operation } = probed
  const isChange = role === 'update' || role === 'replace'
  const bodies = isChange ? withKeys(probed, context.validBodies(probed), createdIdPlaceholder) : []
  if (isChange && bodies.length === 0) return []
  const id = encodeURIComponent(createdIdPlaceholder)
  const target = context.itemTarget(probed, createdIdPlaceholder).replace(id, createdIdPlaceholder)
  const tests = responsePath(context.contract, operation, status ?? operation.successStatus)
  return [{ ...stepOf(probed, target, tests), ...bodyParts(probed, bodies) }]
}

/** Lists the names of properties that may be the id of the record of a path. */
export const keysOf = ({ collection, operation }: ProbedOperation): readonly string[] =>
  [collection?.model.idProperty ?? [], parameterNames(operation.path).slice(-1)].flat()

/** Returns bodies that leave a record its id: nobody has permitted another one, and a created record is removed by it. A number that is not known is left out. */
export const withKeys = (probed: ProbedOperation, bodies: readonly Json[], id: string): readonly Json[] => {
  const keys = keysOf(probed)
  const kept = ([name, value]: readonly [string, Json]): readonly (readonly [string, Json])[] => {
    if (!keys.includes(name)) return [[name, value]]
    if (typeof value !== 'number') return [[name, id]]
    return Number.isNaN(Number(id)) ? [] : [[name, Number(id)]]
  }
  return bodies.map((body) => (isObject(body) ? Object.fromEntries(Object.entries(body).flatMap(kept)) : body))
}

/** Sends a body to each named record, which keeps what it changes, and reads it. */
export const recordChanges: ProbeKind = (probed, context) => {
  const { collection, decision, operation } = probed
  if (!isPermittedAs(probed, 'update', 'replace', 'action') || !collection?.model.parameter) return []
  const bodies = context.validBodies(probed)
  if (bodies.length === 0 && (decision.role !== 'action' || operation.requestBody !== undefined)) return []
  const ids = context.permissions.get(operation.id) ?? []
  const isOfMade = decision.role !== 'action' && context.sibling(probed, 'create')?.isPermitted === true
  const reason = 'it needs a record that may be changed: --may <operation>=<id>'
  if (ids.length === 0 && !isOfMade) return [skippedProbe(probed, 'changes', reason)]
  const tests = responseKeyPath(context.contract, operation, operation.successStatus)
  const read = context.sibling(probed, 'read')
  return ids.map((id, index) => {
    const own = bodyParts(probed, withKeys(probed, bodies, id))
    const step = { ...stepOf(probed, context.itemTarget(probed, id), tests), ...own }
    const reads = read ? [stepOf(read, context.itemTarget(read, id), tests)] : []
    return probeOf(probed, `changes-${index + 1}`, step, ...reads)
  })
}

/** Removes each named record as a caller without access, then as a caller with access, then once more. */
export const recordRemovals: ProbeKind = (probed, context) => {
  if (!isPermittedAs(probed, 'remove')) return []
  const ids = context.permissions.get(probed.operation.id) ?? []
  if (ids.length > 0) return ids.map((id, index) => removalOf(context, probed, id, index))
  const reason = 'it needs a record that may be removed: --may <operation>=<id>'
  return [skippedProbe(probed, 'removes', reason)]
}

function removalOf(context: ProbeContext, probed: ProbedOperation, id: string, index: number): Probe {
  const { callers, contract } = context
  const { collection, operation } = probed
  const read = context.sibling(probed, 'read')
  const seenBy = context.recordsOf(collection).find((each) => each.id === id)?.seenBy ?? []
  const owner = operation.secured ? (seenBy[0] ?? callers[0]) : undefined
  const stranger = operation.secured ? callers.find((name) => !seenBy.includes(name)) : undefined
  const missing = responsePath(contract, operation, 404)
  const removing = (caller: string | undefined, tests: ProbeStep['tests']): ProbeStep => ({
    ...stepOf(probed, context.itemTarget(probed, id), tests),
    credential: context.credentialOf(operation, caller),
  })
  const whole = operationCursor(contract, operation).path
  // The description of the operation says that the record is removed. Only its effect on other callers is an assumption.
  const effect = [...whole, 'description']
  return probeOf(
    probed,
    `removes-${index + 1}`,
    ...(stranger === undefined ? [] : [removing(stranger, missing), ...context.listAll(probed, missing, owner)]),
    removing(owner, responseKeyPath(contract, operation, operation.successStatus)),
    ...(read ? [stepOf(read, context.itemTarget(read, id), effect)] : []),
    ...context.listAll(probed, effect, owner),
    ...seenBy.slice(1).flatMap((caller) => context.listAll(probed, whole, caller)),
    ...context.otherListsWith(collection, id).flatMap((other) => context.listAll(other, effect, owner)),
    removing(owner, missing),
  )
}

/** Sends ids to operations on single records. Operations that are not safe get only made-up ids, and only if they are permitted. */
export const itemIds: ProbeKind = (probed, context) => {
  if (!isPermittedAs(probed, 'read', 'update', 'replace', 'remove')) return []
  const { contract } = context
  const { collection, decision, operation } = probed
  const step = (id: string, tests: SpecPath): ProbeStep => ({
    ...stepOf(probed, context.itemTarget(probed, id), tests),
    ...bodyParts(probed, context.validBodies(probed).slice(0, 1)),
    isRepeatable: true,
  })
  const found = responsePath(contract, operation, 200)
  const missing = responsePath(contract, operation, 404)
  const isRead = decision.role === 'read'
  const [visible] = isRead ? context.visibleTo(context.callers[0], collection) : []
  const isOpen = !isRead || !operation.secured
  const [foreign] = (isOpen ? [] : context.recordsOf(collection)).flatMap(({ id, seenBy }) => {
    const stranger = seenBy.length > 0 ? context.callers.find((name) => !seenBy.includes(name)) : undefined
    return stranger === undefined ? [] : [{ id, stranger }]
  })
  const unknown = context.madeUpId(probed)
  const asked = unknown === undefined ? undefined : step(unknown, missing)
  const known: readonly (Probe | false | undefined)[] = [
    visible && probeOf(probed, 'known-id', step(visible.id, found)),
    foreign &&
      probeOf(probed, 'foreign-id', {
        ...step(foreign.id, missing),
        credential: context.credentialOf(operation, foreign.stranger),
      }),
    asked && probeOf(probed, 'unknown-id', asked),
    asked && probed.isSafe && probeOf(probed, 'unknown-id-accept-anything', { ...asked, headers: { accept: '*/*' } }),
  ]
  const parameter = collection?.model.parameter
  const place = parameter && parameterCursor(contract, operation, parameter.in, parameter.name)
  const tests = (place?.at('schema') ?? operationCursor(contract, operation).at('parameters')).path
  return [
    ...known.filter((probe) => typeof probe === 'object'),
    ...context.malformedIds(probed).map((id, index) => {
      const tested = { name: parameter?.name ?? '', case: 'malformed-id', value: encodeURIComponent(id) }
      return probeOf(probed, `malformed-id-${index + 1}`, { ...step(id, tests), parameter: tested })
    }),
  ]
}

/** Sends a made-up id to mocked operations. Those that are not safe get it only if they are permitted; a PUT or POST, which may create a record, if its removal is, too. */
export const unknownIds: ProbeKind = (probed, context) => {
  if (!isPermittedAs(probed, 'mocked')) return []
  const { contract, operations } = context
  const { operation, path } = probed
  const mayCreate = /^P(?:OS|U)T$/u.test(operation.method) && operation.path.endsWith('}')
  const removes = (each: ProbedOperation): boolean =>
    each.isPermitted && each.operation.method === 'DELETE' && each.operation.path === operation.path
  const removal = mayCreate ? operations.find(removes) : undefined
  const name = parameterNames(operation.path).at(-1)
  const unknown = context.madeUpId(probed)
  const target = withParameter(probed, withQuery(path, probed.query), name, unknown)
  if (name === undefined || unknown === undefined || target === undefined || (mayCreate && !removal)) return []
  const tests = responsePath(contract, operation, 404)
  const sent = bodyParts(probed, context.validBodies(probed).slice(0, mayCreate ? Infinity : 1))
  const tested = { compares: 'status', parameter: { name, case: 'unknown-id', value: unknown } } as const
  const step: ProbeStep = { ...stepOf(probed, target, tests), ...sent, ...tested, isRepeatable: !mayCreate }
  if (!removal) return [probeOf(probed, 'unknown-id', step)]
  const reads = readsOf(probed, context, target)
  const removing: ProbeStep = { ...stepOf(removal, target, tests), compares: 'status' }
  const withBody = operation.requestBody ? [] : [{ ...step, ...unexpected(probed, context) }, removing]
  return [probeOf(probed, 'unknown-id', step, ...reads, repeatOf(step), removing, ...reads, ...withBody)]
}

/** Creates a body where the contract documents none. A permitted operation gets that of another one of its path, which the service may understand. */
export function unexpected({ isSafe, operation: { path } }: ProbedOperation, context: ProbeContext) {
  const other = context.operations.find(({ operation }) => operation.path === path && operation.requestBody)
  const body = (!isSafe && other && context.validBodies(other).at(-1)) || { unexpected: true }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Creates the requests that read at the path of an operation. @param target - The same path with its values. Default: those of the operation. */
export const readsOf = (
  probed: ProbedOperation,
  { operations }: ProbeContext,
  target = probed.path,
): readonly ProbeStep[] =>
  operations
    .filter(({ operation: { method, path } }) => method === 'GET' && path === probed.operation.path)
    .map((read) => stepOf(read, withQuery(target.split('?')[0] ?? '', read.query), []))

/** Replaces a parameter in the path of a request. @param value - Percent-encoded. @returns Undefined: the path has no such segment, or there is no value. */
export function withParameter(
  { operation }: ProbedOperation,
  target: string,
  name: string | undefined,
  value: string | undefined,
): string | undefined {
  const at = operation.path.split('/').indexOf(`{${name ?? ''}}`)
  const [path = '', ...query] = target.split('?')
  return at === -1 || value === undefined ? undefined : [path.split('/').with(at, value).join('/'), ...query].join('?')
}

/** Sends made-up values of the other parameters of a path: to reads, and to permitted operations on a made-up id or that create what can be removed. */
export const unknownParents: ProbeKind = (probed, context) => {
  const { collection, decision, isPermitted, isSafe, operation, query } = probed
  const names = parameterNames(operation.path)
  const itself = decision.role === 'mocked' ? names.at(-1) : collection?.model.parameter?.name
  const [record] = isSafe ? context.visibleTo(context.callers[0], collection) : []
  const id = record?.id ?? context.madeUpId(probed)
  const planned = creationStep(probed, context)
  const creation = planned && withAcceptedBody(planned)
  const mayBeAsked = decision.role === 'create' ? creation !== undefined : decision.role !== 'mocked'
  const isAsked = isSafe || (isPermitted && mayBeAsked)
  const target = creation?.target ?? (id === undefined ? undefined : withQuery(context.itemTarget(probed, id), query))
  if (!isAsked || target === undefined || target.includes('{')) return []
  return names.flatMap((name) => {
    const unknown = context.madeUpId(probed, name)
    const below = withParameter(probed, target, name, unknown)
    if (name === itself || below === undefined || unknown === undefined) return []
    const tests = responsePath(context.contract, operation, 404)
    const bodies = creation ?? bodyParts(probed, context.validBodies(probed).slice(0, 1))
    const own = creation?.removal
    const removal = own && { ...own, target: withParameter(probed, own.target, name, unknown) ?? own.target }
    const step = { ...bodies, ...stepOf(probed, below, tests), removal }
    return [
      probeOf(probed, `unknown-${name}`, { ...step, parameter: { name, case: 'unknown-parent', value: unknown } }),
    ]
  })
}
