/** Lists every collection: as each caller, with values of each parameter, with undocumented parameters, and with other media types than the documented ones. */
import type { Parameter } from '../../contract/contract.js'
import { examplesAt } from '../../contract/references.js'
import { findKeyword, itemsOf, scalarType } from '../../contract/schemas/read-schema.js'
import { operationCursor, parameterCursor, responsePath, type SpecPath } from '../../contract/spec-places.js'
import { isObject, type JsonObject, listOf, objectOf } from '../../documents/object.js'
import { joinQueries, withQuery } from '../../pull/requests.js'
import type { EffectKind, ParameterEffect } from '../../resources/explanation.js'
import { capQuery, type ProbeContext, type ProbeKind, shortTarget } from '../probe-context.js'
import { type Probe, type ProbedOperation, probeOf, stepOf } from '../probe.js'

/** Lists without paging parameters, and asks for what is mocked. The double has a copy of the records and their order, so only the effect of an omitted cap is evidence. */
export const listingsByCaller: ProbeKind = (probed, context) => {
  const { cap, collection, decision, operation, path, query } = probed
  const isMocked = decision.role === 'mocked'
  if (isMocked ? operation.method !== 'GET' : decision.role !== 'list') return []
  const tests = cap && parameterCursor(context.contract, operation, 'query', cap.name)?.path
  return (operation.secured ? context.callers : [undefined]).map((caller) => {
    const name = `${isMocked ? 'get' : 'list'}${caller === undefined ? '' : `-as-${caller}`}`
    return probeOf(probed, name, {
      ...stepOf(probed, withQuery(path, query), tests ?? responsePath(context.contract, operation, 200)),
      credential: context.credentialOf(operation, caller),
      isEvidence: tests !== undefined && context.visibleTo(caller, collection).length > 1,
    })
  })
}

export const undocumentedParameters: ProbeKind = (probed, context) => {
  const { decision, operation } = probed
  if (decision.role !== 'list') return []
  const tests = operationCursor(context.contract, operation).path
  const names = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  const paging = ['offset', 'page', 'sort'].filter((name) => !names.includes(name))
  const inOtherCase = names.filter((name) => !names.includes(name.toUpperCase()))
  const probe = (name: string, query: string): Probe =>
    probeOf(probed, name, stepOf(probed, shortTarget(probed, query), tests))
  return [
    probe('undocumented-parameter', 'undocumented-parameter=1'),
    ...paging.map((name) => probe(`undocumented-${name}`, `${name}=2`)),
    ...inOtherCase.map((name) => probe(`${name}-in-upper-case`, `${encodeURIComponent(name.toUpperCase())}=1`)),
  ]
}

export const acceptHeaders: ProbeKind = (probed, { contract }) => {
  const { decision, operation } = probed
  const isMocked = decision.role === 'mocked' && operation.method === 'GET'
  if (!isMocked && decision.role !== 'list') return []
  const tests = [...responsePath(contract, operation, operation.successStatus), 'content']
  return [...(isMocked ? [] : ['text/html', 'application/xml']), '*/*'].map((accept) => {
    const name = `accept-${accept.replace('*/*', 'anything').replace('/', '-')}`
    const step = { ...stepOf(probed, shortTarget(probed), tests), headers: { accept } }
    return probeOf(probed, name, step)
  })
}

/** Sends values of each query parameter of a safe operation: inside, at and outside its bounds, of a wrong type, repeated, empty. */
export const parameterValues: ProbeKind = (probed, context) => {
  const { collection, decision, isSafe, operation } = probed
  // A read is asked for the first record.
  const [record] = decision.role === 'read' ? context.visibleTo(context.callers[0], collection) : []
  if (!isSafe || (decision.role === 'read' && !record)) return []
  const asked = record ? { ...probed, path: context.itemTarget(probed, record.id) } : probed
  const inQuery = operation.parameters.filter(
    ({ in: place, isSecret, required }) => place === 'query' && (required || !isSecret),
  )
  return inQuery.flatMap((parameter) => probesOf(context, asked, parameter))
}

function probesOf(context: ProbeContext, probed: ProbedOperation, parameter: Parameter): readonly Probe[] {
  const { operation } = probed
  const at = parameterCursor(context.contract, operation, parameter.in, parameter.name)
  const path = (at ?? operationCursor(context.contract, operation).at('parameters')).path
  const schema = at?.at('schema')
  const effect = probed.decision.role === 'mocked' ? undefined : probed.decision.match.effects?.get(parameter.name)
  const own = `${encodeURIComponent(parameter.name)}=`
  const others = joinQueries(...probed.query.split('&').filter((part) => !part.startsWith(own)))
  // The schema in the contract has the bounds of int32. The spec may not have them.
  const stated = isObject(schema?.value) && !('allOf' in schema.value) ? schema.value : parameter.requestSchema
  const caller = operation.secured ? context.callers[0] : undefined
  const records = context.visibleTo(caller, probed.collection)
  const inRecords = context.recordsOf(probed.collection).map(({ record }) => record[effect?.property ?? parameter.name])
  const missing = { ...oneCase('missing', ''), values: [] }
  const described = objectOf(stated)
  const isFree =
    scalarType(itemsOf(described) ?? described) === 'string' && findKeyword(described, 'enum') === undefined
  const examples = isFree && at ? examplesAt(at).flat() : []
  const shown = examples.slice(0, 2).map((value, index) => oneCase(`example-${index + 1}`, value))
  const given = context.given.get(parameter.name)
  const isExpression = isFree && /^(?:filters?|q|query|search|where)$/iu.test(parameter.name)
  const all = [
    parameter.required && missing,
    given !== undefined && oneCase('given', given),
    isExpression && oneCase('expression', 'name="no such value"'),
    ...shown,
    ...casesOf(stated, effect, inRecords, records.length),
  ]
  const cases = parameter.isSecret ? [missing] : all.filter((each) => each !== false)
  const cap = effect?.kind === 'page' ? capQuery(probed) : ''
  return cases.map(({ name, tests, values }) => {
    const query = values.map((value) => own + value).join('&')
    const place: SpecPath = tests === undefined || !schema ? [...path, 'name'] : [...schema.path, tests]
    return probeOf(probed, `${parameter.name}-${name}`, {
      ...stepOf(probed, withQuery(probed.path, others, cap, query), place),
      compares: probed.decision.role === 'mocked' ? 'status' : 'everything',
      parameter: { name: parameter.name, case: name, value: values.join(',') },
    })
  })
}

function casesOf(schema: unknown, effect: ParameterEffect | undefined, inRecords: readonly unknown[], count: number) {
  if (!isObject(schema)) return []
  // What has no effect in the double may select in the service.
  const values = inRecords.filter((value) => typeof value !== 'object' && value !== undefined).map(String)
  const selected = (effect?.kind ?? 'select') === 'select' ? [...new Set(values)].slice(0, 2) : []
  const selecting = selected.map((each, at) => oneCase(`selects-${at + 1}`, each))
  const items = itemsOf(schema)
  if (items) return scalarType(items) === 'string' ? [...selecting, ...textCases(items)] : []
  const type = scalarType(schema)
  const listed: unknown = findKeyword(schema, 'enum')
  if (Array.isArray(listed)) {
    const allowed = listOf(listed).slice(0, 3)
    return [
      ...allowed.map((value, index) => oneCase(`allowed-${index + 1}`, value, 'enum')),
      oneCase('not-allowed', 'no-such-value', 'enum'),
    ]
  }
  if (type === 'integer' || type === 'number') return [...selecting, ...numberCases(schema, effect, count)]
  if (type === 'boolean') {
    return [oneCase('true', 'true', 'type'), oneCase('false', 'false', 'type'), oneCase('not-boolean', 'maybe', 'type')]
  }
  return type === 'string' ? [...selecting, ...textCases(schema)] : []
}

/** @param name - The last part of the name of the probe. @param tests - The tested keyword. Default: it tests the effect of the parameter. */
const oneCase = (name: string, value: unknown, tests?: string) => {
  return { name, values: [encodeURIComponent(String(value))], tests }
}

function boundIn(schema: JsonObject, name: string): number | undefined {
  const value = findKeyword(schema, name)
  return typeof value === 'number' ? value : undefined
}

function numberCases(schema: JsonObject, effect: ParameterEffect | undefined, count: number) {
  const type = scalarType(schema)
  const minimum = boundIn(schema, 'minimum')
  const isInt32 = findKeyword(schema, 'format') === 'int32'
  const stated = boundIn(schema, 'maximum')
  const maximum = stated ?? (isInt32 ? 2_147_483_647 : undefined)
  const inside = insideValues(effect, minimum ?? 0, maximum ?? Infinity, count)
  return [
    ...inside.map((value) => oneCase(`is-${value}`, value)),
    ...boundCases(minimum, -1, 'minimum', 'minimum'),
    minimum !== undefined && minimum > 0 && oneCase('negative', -1, 'minimum'),
    ...boundCases(maximum, 1, 'maximum', stated === undefined ? 'format' : 'maximum'),
    oneCase('not-a-number', 'abc', 'type'),
    oneCase('empty', '', 'type'),
    type === 'integer' && oneCase('fraction', '1.5', 'type'),
    ...['+1', '01', '1e0', '0x1', ' 1', '1.0'].map((value, index) => oneCase(`spelling-${index + 1}`, value, 'type')),
    { ...oneCase('repeated', '', 'type'), values: ['1', '2'] },
  ]
}

/** @param step - To the nearest value beyond the bound. */
function boundCases(bound: number | undefined, step: 1 | -1, name: 'maximum' | 'minimum', tests: string) {
  if (bound === undefined) return []
  const [side, beyond] = [step === 1 ? 'above' : 'below', bound + step]
  return [oneCase(`at-${name}`, bound, tests), oneCase(`${side}-${name}`, beyond, tests)]
}

/** Returns values with a visible effect: a cap below the number of records, an offset, a second page. */
function insideValues(effect: ParameterEffect | undefined, minimum: number, maximum: number, count: number) {
  const wanted: Partial<Record<EffectKind, readonly number[]>> = {
    cap: [0, 1, 2, count - 1, count, count + 1],
    skip: [0, 1, count - 1, count, count + 10],
    page: [1, 2, 3, count + 10],
  }
  return [...new Set(effect ? wanted[effect.kind] : [0, 1])].filter((value) => value >= minimum && value <= maximum)
}

function textCases(schema: JsonObject) {
  const least = boundIn(schema, 'minLength') ?? 0
  const most = boundIn(schema, 'maxLength') ?? Infinity
  const format = findKeyword(schema, 'format')
  return [
    oneCase('unknown-value', 'no-such-value-anywhere'),
    oneCase('special-characters', '([{"'),
    least > 0 && oneCase('too-short', 'x'.repeat(least - 1), 'minLength'),
    most < 2000 && oneCase('too-long', 'x'.repeat(most + 1), 'maxLength'),
    findKeyword(schema, 'pattern') !== undefined && oneCase('pattern', '\u0001', 'pattern'),
    typeof format === 'string' && oneCase('format', 'not-one', 'format'),
  ]
}
