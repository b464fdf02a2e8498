import { parameterNames } from '../../contract/path-template.js'
import { itemsOf, objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import type { SpecPath } from '../../contract/spec-places.js'
import { operationCursor, parameterCursor, responseKeyPath, responsePath } from '../../contract/spec-places.js'
import { isObject, type JsonObject, listOf, objectOf } from '../../documents/object.js'
import { jsonIn } from '../../documents/parse-json.js'
import { withQuery } from '../../pull/requests.js'
import type { RoleName } from '../../resources/explanation.js'
import { bodyParts, jsonContent, type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import type { Probe, ProbeStep, ProbedOperation } from '../probe.js'
import { createdIdPlaceholder, probeOf, skippedProbe, stepOf } from '../probe.js'

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

const isPermittedAs = ({ decision, isPermitted }: ProbedOperation, ...roles: readonly string[]): boolean =>
  isPermitted && roles.includes(decision.role)

/** Creates the request that a permitted operation creates a record with. Undefined: it creates none, or no valid body is known. */
function creationStep(probed: ProbedOperation, context: ProbeContext, isLeast = false): ProbeStep | undefined {
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

/** The requests after a creation: read, list, change, read, create again, remove, remove again, read, list. */
function stepsAfterCreation(context: ProbeContext, created: ProbedOperation, step: ProbeStep): readonly ProbeStep[] {
  const { otherBodies = [], ...create } = step
  const variants = create.body === undefined ? [] : [create.body, ...otherBodies]
  const again = { ...create, isRepeated: true, variants }
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
  const sameId = isId === 'string' ? [{ ...again, variants: again.variants.map(withId) }] : []
  return [...item('read'), ...listing, ...changes, again, ...sameId, ...removals, ...listing]
}

/** Creates the request of a role on the created record. Empty if it is not permitted, or takes a body that is not known. */
export function itemSteps(context: ProbeContext, created: ProbedOperation, role: RoleName, status?: number) {
  const probed = context.sibling(created, role)
  if (!probed?.isPermitted) return []
  const { operation } = probed
  const isChange = role === 'update' || role === 'replace'
  const bodies = isChange ? context.validBodies(probed) : []
  if (isChange && bodies.length === 0) return []
  const id = encodeURIComponent(createdIdPlaceholder)
  const target = context.itemTarget(probed, createdIdPlaceholder).replace(id, createdIdPlaceholder)
  const tests = responsePath(context.contract, operation, status ?? operation.successStatus)
  return [{ ...stepOf(probed, target, tests), ...bodyParts(probed, bodies) }]
}

export const recordChanges: ProbeKind = (probed, context) => {
  const { operation } = probed
  const bodies = isPermittedAs(probed, 'update', 'replace') ? context.validBodies(probed) : []
  const tests = responseKeyPath(context.contract, operation, operation.successStatus)
  const ids = bodies.length === 0 ? [] : (context.permissions.get(operation.id) ?? [])
  return ids.map((id, index) => {
    const step = { ...stepOf(probed, context.itemTarget(probed, id), tests), ...bodyParts(probed, bodies) }
    return probeOf(probed, `changes-${index + 1}`, step)
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
    ...context.listAll(probed, effect, owner),
    ...seenBy.slice(1).flatMap((caller) => context.listAll(probed, whole, caller)),
    removing(owner, missing),
  )
}

/** Creates a request to a permitted operation that is mocked, and whose path names no record. Undefined: it is none, or no valid body is known. */
function mockedStep(probed: ProbedOperation, context: ProbeContext): ProbeStep | undefined {
  const { isSafe, operation, path, query } = probed
  if (!isPermittedAs(probed, 'mocked') || isSafe || operation.path.includes('{')) return undefined
  const bodies = bodyParts(probed, context.validBodies(probed).slice(0, 1))
  const step = { ...stepOf(probed, withQuery(path, query), []), ...bodies, compares: 'status' } as const
  return bodies.body === undefined ? undefined : step
}

/**
 * Sends invalid bodies to the permitted operations that create records, or that are mocked. A record that is created nevertheless is removed
 * at the end of the probe.
 */
export const invalidBodies: ProbeKind = (probed, context) => {
  const step = creationStep(probed, context) ?? mockedStep(probed, context)
  if (!step?.body) return []
  const { body, headers = {}, otherBodies = [], ...create } = step
  const { operation } = probed
  const tests = responsePath(context.contract, operation, 400)
  const probe = (name: string, request: Partial<ProbeStep>): Probe =>
    probeOf(probed, name, { ...create, tests, ...request })
  const bodies = [body, ...otherBodies].map((each) => JSON.parse(each) as JsonObject | JsonObject[])
  const changed = (change: (valid: JsonObject) => JsonObject): Partial<ProbeStep> => {
    const variants = bodies.map((valid) => JSON.stringify(Array.isArray(valid) ? valid.map(change) : change(valid)))
    return { headers, body: variants[0] ?? '', variants }
  }
  const schema = objectOf(jsonContent(operation)?.schema)
  const { properties, required } = objectSchema(itemsOf(schema) ?? schema) ?? {}
  // A service needs most often what its contract requires, and what tells records apart.
  const little = context.validBodies(probed, true).slice(0, 1)
  const sent = [...little, ...bodies].flatMap((each) => Object.keys(objectOf(listOf(each)[0] ?? each)))
  const names = [...new Set([...(required ?? []), ...sent])]
  const isKey = (name: string): boolean =>
    name === probed.collection?.model.idProperty || Object.hasOwn(objectOf(little[0]), name)
  const otherType = { headers: { 'content-type': 'application/x-unknown' }, body: 'a=1' }
  const scalars = [...(properties ?? [])].filter(([, each]) => scalarType(each) !== undefined)
  return [
    ...names.slice(0, 8).map((name) => {
      const without = changed(({ [name]: _value, ...others }) => others)
      return probe(`without-${name}`, { ...without, parameter: { name, case: 'without', value: '' } })
    }),
    ...scalars.slice(0, 3).map(([name]) => {
      const wrong = changed((valid) => ({ ...valid, [name]: [{}] }))
      return probe(`wrong-type-of-${name}`, wrong)
    }),
    ...[...(properties ?? [])].flatMap(([name, its]) => {
      const value = otherValue(its, isKey(name) ? context.madeUpId(probed) : undefined)
      const [inside = ''] = objectSchema(its)?.required ?? []
      if (value === undefined && inside === '') return []
      const lacking = (old: unknown): unknown => (isObject(old) ? { ...old, [inside]: undefined } : old)
      const other = changed((valid) => ({ ...valid, [name]: value ?? lacking(valid[name]) }))
      return [probe(`other-value-of-${name}`, other)]
    }),
    probe('malformed-json', { headers, body: '{"' }),
    probe('other-media-type', otherType),
    ...(operation.requestBody?.required ? [probe('without-body', {})] : []),
  ]
}

/** Returns a value that the contract forbids, or that a service may refuse: an empty list, a time that has passed, any text. @param text - Undefined: none. */
function otherValue(schema: JsonObject, text: string | undefined): unknown {
  if (schema['enum']) return 'no-such-value'
  if (Number(schema['minItems']) > 0) return []
  if (schema['format'] === 'date-time') return '2000-01-01T00:00:00Z'
  return scalarType(schema) === 'string' ? text : undefined
}

/** Sends request bodies where the contract documents none: to listings, and to permitted operations on made-up ids. */
export const unexpectedBodies: ProbeKind = (probed, context) => {
  const { decision, isPermitted, operation } = probed
  if (!isPermitted || operation.requestBody !== undefined || decision.role === 'mocked') return []
  const id = context.madeUpId(probed)
  const target = decision.role === 'list' ? shortTarget(probed) : id && context.itemTarget(probed, id)
  if (target === undefined) return []
  return [
    probeOf(probed, 'unexpected-body', {
      ...stepOf(probed, target, responsePath(context.contract, operation, 400)),
      headers: { 'content-type': 'application/json' },
      body: '{"unexpected":true}',
      isRepeatable: true,
    }),
  ]
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

/** Sends a made-up id to mocked operations. Those that are not safe get it only if they are permitted; a PUT, which may create a record, if its removal is, too. */
export const unknownIds: ProbeKind = (probed, context) => {
  if (!isPermittedAs(probed, 'mocked')) return []
  const { contract, operations } = context
  const { operation, path } = probed
  const isPut = operation.method === 'PUT' && operation.path.endsWith('}')
  const removes = (each: ProbedOperation): boolean =>
    each.isPermitted && each.operation.method === 'DELETE' && each.operation.path === operation.path
  const removal = isPut ? operations.find(removes) : undefined
  const name = parameterNames(operation.path).at(-1) ?? ''
  const at = operation.path.split('/').indexOf(`{${name}}`)
  const unknown = context.madeUpId(probed)
  if (at === -1 || unknown === undefined || (isPut && !removal)) return []
  const target = withQuery(path.split('/').with(at, unknown).join('/'), probed.query)
  const tests = responsePath(contract, operation, 404)
  const step = { ...stepOf(probed, target, tests), isRepeatable: !isPut }
  const sent = bodyParts(probed, context.validBodies(probed).slice(0, 1))
  const tested = { compares: 'status', parameter: { name, case: 'unknown-id', value: unknown } } as const
  const removing = removal ? [{ ...stepOf(removal, target, tests), compares: 'status' } as const] : []
  return [probeOf(probed, 'unknown-id', { ...step, ...sent, ...tested }, ...removing)]
}
