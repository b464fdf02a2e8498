/** Sends bodies to the permitted operations that create records, or that are mocked: valid ones, and others that the contract forbids or a service may refuse. */
import { parameterNames } from '../../contract/path-template.js'
import {
  itemSchema,
  itemsOf,
  objectSchema,
  propertyNames,
  propertySchema,
  scalarType,
  typesOf,
} from '../../contract/schemas/read-schema.js'
import { responsePath } from '../../contract/spec-places.js'
import { isObject, type JsonObject, listOf, mapValues, objectOf } from '../../documents/object.js'
import { jsonIn } from '../../documents/parse-json.js'
import { type Segment, valueAt } from '../../documents/pointer.js'
import { withQuery } from '../../pull/requests.js'
import { type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import { probeOf, type ProbeStep, type ProbedOperation, stepOf, bodyParts, jsonContent } from '../probe.js'
import {
  creationStep,
  isPermittedAs,
  itemSteps,
  keysOf,
  readsOf,
  recordChanges,
  repeatOf,
  unexpected,
  withKeys,
  withParameter,
} from './records.js'

/**
 * Creates a request to a permitted operation that is mocked. Undefined: it is none, no valid body is known, or it would change what nobody has
 * named: its last parameter must be the id of `--may`; or its path has no parameter, or is that of a list below given parents, and it is a POST,
 * or its body has a given value.
 */
function mockedStep(probed: ProbedOperation, context: ProbeContext): ProbeStep | undefined {
  const { isSafe, operation, path, query } = probed
  if (!isPermittedAs(probed, 'mocked') || isSafe) return undefined
  const names = parameterNames(operation.path)
  const [id] = context.permissions.get(operation.id) ?? []
  const named = withParameter(probed, path, names.at(-1), id === undefined ? id : encodeURIComponent(id))
  const isBelow =
    names.length === 0 || (readsOf(probed, context).length > 0 && names.every((name) => context.given.has(name)))
  const inBody = propertyNames(jsonContent(operation)?.schema)
  const isNamed = operation.method === 'POST' || inBody.some((name) => context.given.has(name))
  if (named === undefined && !(isNamed && isBelow)) return undefined
  const valid = context.validBodies(probed)
  const bodies = bodyParts(probed, id === undefined ? valid : withKeys(probed, valid, id))
  if (bodies.body === undefined && (named === undefined || operation.requestBody)) return undefined
  const step = stepOf(probed, withQuery(named ?? path, query), [])
  return { ...step, ...bodies, isCreation: operation.method === 'POST' }
}

/** Sends a valid body to each permitted operation that is mocked and removes nothing, twice, and reads. Nobody knows how to remove what it creates: a note says so. */
export const mockedChanges: ProbeKind = (probed, context) =>
  probed.operation.method === 'DELETE' ? [] : mockedSends(probed, context)

/** Does the same with operations that remove: other probes may need what they remove. */
export const mockedRemovals: ProbeKind = (probed, context) =>
  probed.operation.method === 'DELETE' ? mockedSends(probed, context) : []

const mockedSends: ProbeKind = (probed, context) => {
  const step = mockedStep(probed, context)
  if (!step) return []
  const others = probed.operation.requestBody === undefined ? [unexpectedBody(probed, context, step.target)] : []
  return [probeOf(probed, 'sends', step, repeatOf(step), ...readsOf(probed, context, step.target)), ...others]
}

/**
 * Sends other bodies to the permitted operations that create records, or that are mocked. A record that is created nevertheless is removed
 * at the end of the probe.
 */
export const otherBodies: ProbeKind = (probed, context) => {
  const mocked = mockedStep(probed, context)
  const step = creationStep(probed, context) ?? (mocked && ({ ...mocked, compares: 'status' } as const))
  if (!step?.body) return []
  const reads = mocked ? readsOf(probed, context, mocked.target) : itemSteps(context, probed, 'read')
  const isNamed = context.permissions.get(probed.operation.id)?.[0] !== undefined
  return variationsOf(probed, context, step, isNamed).map(({ name, request }) =>
    probeOf(probed, name, request, ...(request.variants && (!mocked || name === 'given') ? reads : [])),
  )
}

/** Sends other bodies to a permitted operation that changes a record: to one that the probe creates, and to each named one. */
export const otherChanges: ProbeKind = (probed, context) => {
  const { role } = probed.decision
  const others = (change: ProbeStep): readonly ProbeStep[] =>
    variationsOf(probed, context, { ...change, compares: 'status' }, true).map(({ request }) => request)
  const named = recordChanges(probed, context).flatMap(({ name, steps: [change] }) =>
    change?.body === undefined ? [] : [{ ...probeOf(probed, '', ...others(change)), name: `${name}-otherwise` }],
  )
  if (role !== 'update' && role !== 'replace') return named
  const created = context.sibling(probed, 'create')
  const step = created && creationStep(created, context)
  const [change] = step ? itemSteps(context, created, role) : []
  return step && change?.body !== undefined
    ? [...named, probeOf(probed, 'changes-otherwise', step, ...others(change))]
    : named
}

/** Creates requests like a step, with bodies that the contract forbids or a service may refuse: without a part, with another value or type of it, and no JSON. @param isKept - True if the record must keep its id. */
function variationsOf(probed: ProbedOperation, context: ProbeContext, step: ProbeStep, isKept: boolean) {
  const { body = '', headers = {}, otherBodies: others = [], ...own } = step
  const bodies = [body, ...others].map(jsonIn)
  const tests = responsePath(context.contract, probed.operation, 400)
  const variation = (name: string, sent: Partial<ProbeStep>) => {
    const request: ProbeStep = { ...own, tests, ...sent }
    return { name, request }
  }
  const eachAs = (name: string, bodyOf: (valid: unknown) => unknown, tested: Partial<ProbeStep> = {}) => {
    const variants = bodies.map((valid) => JSON.stringify(bodyOf(valid)))
    return variation(name, { headers, body: variants[0] ?? '', variants, ...tested })
  }
  const changed = (name: string, path: readonly Segment[], value: unknown, tested?: Partial<ProbeStep>) =>
    eachAs(name, (valid) => withPart(valid, path, value), tested)
  const [little] = context.validBodies(probed, true)
  const ownKeys = Object.keys(objectOf(listOf(little)[0] ?? little))
  const { idProperty } = probed.collection?.model ?? {}
  const isKey = ({ name }: BodyPart): boolean => ownKeys.includes(name) || name === idProperty
  // A service needs most often what its contract requires, and what tells records apart.
  const rank = (part: BodyPart): number =>
    part.place.split('.').length * 3 + (part.isRequired ? 0 : 4) + (isKey(part) ? 0 : 1)
  const parts = bodies.flatMap((valid) => partsOf(objectOf(jsonContent(probed.operation)?.schema), valid))
  const kept = isKept ? keysOf(probed) : []
  const withGiven = (valid: unknown): unknown => {
    const its = context.withGiven(probed, valid)
    return isObject(its) ? mapValues(its, (value, name) => (kept.includes(name) ? valueAt(valid, [name]) : value)) : its
  }
  const distinct = new Map(parts.map((part) => [part.place, part]))
  const changing = [...distinct.values()].filter(({ path: [name = ''] }) => !kept.includes(String(name)))
  const ranked = changing.toSorted((one, other) => rank(one) - rank(other))
  const sent = ranked.filter(({ path }) => bodies.some((each) => valueAt(each, path) !== undefined))
  // A record of a made-up id would be found by the probes that ask for it.
  const text = `other-${context.nonce}`
  const values = ranked.flatMap((part) => {
    const { name, path, place, schema } = part
    const first = name === idProperty ? (context.madeUpId(probed) ?? text) : text
    // A record whose id is empty could not be removed.
    const texts = isKey(part) ? [first, 'No name?'] : part.isRequired ? [first, ''] : [first]
    return otherValues(schema, texts, valueAt(bodies[0], path)).map((value, at) =>
      changed(`other-value-of-${place}${at === 0 ? '' : `-${at + 1}`}`, path, value),
    )
  })
  // Whether it is kept is seen before other bodies have changed the record.
  const whole: Partial<ProbeStep> = probed.decision.role === 'mocked' ? {} : { compares: 'everything' }
  const isList = Array.isArray(bodies[0])
  return [
    changed('unknown-property', [...(isList ? [0] : []), 'noSuchProperty'], text, whole),
    ...(context.given.size > 0 ? [eachAs('given', withGiven, whole)] : []),
    ...sent.slice(0, 12).map(({ name, path, place }) => {
      const tested = path.length > 1 ? {} : { parameter: { name, case: 'without', value: '' } }
      return changed(`without-${place}`, path, undefined, tested)
    }),
    ...ranked
      .filter(({ schema }) => typesOf(schema) !== undefined)
      .slice(0, 12)
      .map(({ path, place, schema }) => changed(`wrong-type-of-${place}`, path, wrongType(schema, text))),
    ...values.slice(0, 30),
    variation('other-kind', { headers, body: isList ? '{}' : '[]' }),
    variation('malformed-json', { headers, body: '{"' }),
    variation('other-media-type', { headers: { 'content-type': 'application/x-unknown' }, body: 'a=1' }),
    variation('without-body', {}),
  ]
}

/** Returns a value of another type than those of a schema. Some services read a text as a list of its letters: it has one. */
function wrongType(schema: JsonObject, text: string): unknown {
  if (itemsOf(schema)) return 'x'
  const type = scalarType(schema)
  if (type === undefined) return 1
  return type === 'string' ? [{}] : text
}

interface BodyPart {
  readonly name: string
  readonly path: readonly Segment[]
  /** The path without indexes, for the name of a probe. */
  readonly place: string
  readonly schema: JsonObject
  readonly isRequired: boolean
}

/** Lists the properties of a body, those of its objects and of the first item of each of its lists included. */
function partsOf(schema: JsonObject, value: unknown, path: readonly Segment[] = []): readonly BodyPart[] {
  if (Array.isArray(value))
    return value.length > 0 ? partsOf(objectOf(itemSchema(schema, 0)), value[0], [...path, 0]) : []
  const required = objectSchema(schema)?.required
  return (isObject(value) ? propertyNames(schema) : []).flatMap((name) => {
    const at = [...path, name]
    const place = at.filter((segment) => typeof segment === 'string').join('.')
    const its = objectOf(propertySchema(schema, name))
    const own = { name, path: at, place, schema: its, isRequired: required?.has(name) === true }
    return its['readOnly'] === true ? [] : [own, ...partsOf(its, valueAt(value, [name]), at)]
  })
}

/** Returns a copy with another value at a path. Undefined: without it. A list without the item stays as it is. */
function withPart(json: unknown, [first = '', ...rest]: readonly Segment[], value: unknown): unknown {
  const inside = rest.length === 0 ? value : withPart(valueAt(json, [first]), rest, value)
  return Array.isArray(json)
    ? json.map((each: unknown, index) => (index === first ? inside : each))
    : { ...objectOf(json), [first]: inside }
}

/** Returns values that the contract forbids, or that a service may refuse or treat in another way: nothing, a time that has passed or is to come, other texts. @param texts - Those of a text. */
function otherValues(schema: JsonObject, texts: readonly string[], old: unknown): readonly unknown[] {
  if (schema['enum']) return ['no-such-value']
  const items = itemsOf(schema)
  if (items)
    return [...(Number(schema['minItems']) > 0 ? [[]] : []), ...(scalarType(items) === 'string' ? [texts] : [])]
  if (isObject(old) && propertyNames(schema).length === 0) return [{}]
  const sent = Date.parse(String(old))
  const later = Number.isNaN(sent) ? [] : [new Date(sent + 3_600_000).toISOString()]
  if (schema['format'] === 'date-time') return ['2000-01-01T00:00:00Z', ...later]
  const types = typesOf(schema)
  // An integer may be the id of another record.
  return [...(types?.has('string') === true ? texts : []), ...(types?.has('integer') === true ? [2_000_000_001] : [])]
}

/** Sends request bodies where the contract documents none: to listings, and to permitted operations on made-up ids. */
export const unexpectedBodies: ProbeKind = (probed, context) => {
  const { decision, isPermitted, operation } = probed
  if (!isPermitted || operation.requestBody !== undefined || decision.role === 'mocked') return []
  const id = context.madeUpId(probed)
  const creation = creationStep(probed, context)
  const target = decision.role === 'list' ? shortTarget(probed) : id && context.itemTarget(probed, id)
  const own = creation
    ? { isCreation: true, knownIds: creation.knownIds ?? [], removal: creation.removal }
    : { isRepeatable: true }
  return target === undefined ? [] : [unexpectedBody(probed, context, target, own)]
}

const unexpectedBody = (probed: ProbedOperation, context: ProbeContext, target: string, own?: Partial<ProbeStep>) =>
  probeOf(probed, 'unexpected-body', {
    ...stepOf(probed, target, responsePath(context.contract, probed.operation, 400)),
    ...unexpected(probed, context),
    ...own,
  })
