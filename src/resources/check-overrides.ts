/** Checks the values of `x-double`, and that they had an effect. */
import type { Contract, DocumentedResponse, Operation, Override } from '../contract/contract.js'
import { responseOverrideOf } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
import { schemaKeywords } from '../contract/schemas/keywords.js'
import { groupBy, isObject, type JsonObject, objectOf, textOf } from '../documents/object.js'
import { namesInTemplate } from '../documents/text-template.js'
import { errorCodes } from '../http-errors.js'
import { suggest } from '../nearest-name.js'
import type { DocumentProblem } from './document/document-problem.js'
import type { StatefulCollection } from './missing-parent.js'
import {
  isRoleName,
  operationOverrideOf,
  parameterMeanings,
  parameterOverrideOf,
  pathOverrideOf,
  removableEffects,
  rolePlaces,
} from './read-overrides.js'
import type { Decision } from './roles/role.js'

type ReportAt = (override: Override, below: readonly string[], message: string, hint: string) => void

/**
 * Lists the errors of the values of `x-double`: unknown keys, roles and properties, and values that cannot be applied.
 *
 * @param decisions - The decisions that were made with these values.
 */
export function checkOverrides(
  { operations }: Contract,
  decisions: ReadonlyMap<Operation, Decision>,
  collections: readonly StatefulCollection[],
): readonly DocumentProblem[] {
  const problems = new Map<string, DocumentProblem>()
  const report: ReportAt = ({ path: at }, below, message, hint) => {
    const path = [...at, ...below]
    problems.set(`${path.join('/')} ${message}`, { path, at: 'value', message, hint })
  }
  for (const operation of operations) {
    checkPathItem(operation, report)
    checkOperation(operation, report)
    for (const parameter of operation.parameters)
      if (parameter.override && parameterOverrideOf(parameter) === undefined)
        report(parameter.override, [], 'x-double of a parameter must be a string or a range', parameterHint)
    for (const response of operation.responses) checkResponse(response, report)
  }
  // Report one mistake once: a value can be applied only if the values before it are valid.
  if (problems.size === 0) checkPathsAreServed(operations, decisions, report)
  if (problems.size === 0) for (const operation of operations) checkRoleIsServed(operation, decisions, report)
  if (problems.size === 0) checkParametersAct(operations, decisions, collections, report)
  if (problems.size === 0) for (const each of collections) checkTemplates(each, report)
  return [...problems.values()]
}

const roleNames = [...Object.keys(rolePlaces), 'mocked']
const meanings = Object.keys(parameterMeanings)
const parameterHint = `use ${meanings.join(', ')}, ignore, a property of the record, or a range such as {gte: <property>}`

function checkPathItem({ path, pathOverride }: Operation, report: ReportAt): void {
  if (!pathOverride) return
  const { value } = pathOverride
  if (value === 'singleton') return
  if (!isObject(value))
    return report(pathOverride, [], 'x-double of a path must be an object or singleton', 'write {collection: <name>}')
  checkKeys(value, ['collection', 'from', 'id', 'made', 'parents', 'view'], pathOverride, report)
  const { collection, id, parents, view } = value
  if (collection !== undefined && !/^[^$]/u.test(textOf(collection)))
    report(pathOverride, ['collection'], 'must be a name that does not begin with $', 'write a string')
  for (const [key, what] of Object.entries({ from: 'property', view: 'collection' }))
    if (value[key] !== undefined && typeof value[key] !== 'string')
      report(pathOverride, [key], `must be the name of a ${what}`, 'write a string')
  if (view !== undefined && collection !== undefined)
    report(pathOverride, ['view'], 'a path is either a view or of a collection', 'leave out view or collection')
  if (id !== undefined && [id].flat().some((each) => textOf(each) === ''))
    report(pathOverride, ['id'], 'must be the name of a property', 'write a string, or a list of them')
  const objects = { parents: '{<path parameter>: <property>}', made: '{<property>: <template>}' }
  for (const [key, form] of Object.entries(objects))
    if (value[key] !== undefined && !isObject(value[key]))
      report(pathOverride, [key], 'must be an object', `write ${form}`)
  const names = parameterNames(path)
  for (const [name, property] of Object.entries(objectOf(parents))) {
    const hint = suggest(name, names, `use ${names.join(', ') || 'no parents: the path has no parameter'}`)
    if (!names.includes(name)) report(pathOverride, ['parents', name], `"${name}" is not a parameter of ${path}`, hint)
    if (typeof property !== 'string')
      report(pathOverride, ['parents', name], 'must be the name of a property', 'write a string')
  }
}

function checkOperation({ override }: Operation, report: ReportAt): void {
  if (!override) return
  const { value } = override
  const [given, below]: [JsonObject, string[]] = isObject(value) ? [value, ['role']] : [{ role: value }, []]
  checkKeys(given, ['role', 'access', 'expected', 'off', 'order', 'set'], override, report)
  const { access, off, role, set } = given
  for (const [key, known] of Object.entries({ access: 'everyone', expected: 'changed', order: 'promised' }))
    if (given[key] !== undefined && given[key] !== known)
      report(override, [key], `${key} ${JSON.stringify(given[key])} is not known`, `use ${known}, or leave it out`)
  const setHint = 'write {role: action, set: {<property>: <value>}}'
  if (set !== undefined && (role !== 'action' || !isObject(set)))
    report(override, ['set'], 'must be an object of properties, next to role: action', setHint)
  for (const name of [off].flat().filter((each) => each !== undefined && !removableEffects.has(each)))
    report(override, ['off'], `${JSON.stringify(name)} cannot be off`, `use ${[...removableEffects].join(', ')}`)
  if (Object.hasOwn(given, 'role') && !isRoleName(role))
    report(override, below, `${JSON.stringify(role)} is not a role`, suggest(String(role), roleNames))
  if (role === 'mocked' && access !== undefined)
    report(override, ['access'], 'a mocked operation has no access to records', 'leave it out')
}

function checkResponse(response: DocumentedResponse, report: ReportAt): void {
  const { override, status } = response
  if (!override) return
  const known = [
    'usual',
    ...(/^[45]\d\d$/u.test(status) ? [...errorCodes, ...schemaKeywords, 'repeated', 'style'] : []),
  ]
  for (const name of responseOverrideOf(response).filter((each) => !known.includes(String(each)))) {
    const hint = suggest(String(name), known, 'use usual; in an error also an x-error-code, or a rule such as required')
    report(override, [], `${JSON.stringify(name)} cannot select the response ${status}`, hint)
  }
}

function checkKeys(value: object, known: readonly string[], override: Override, report: ReportAt): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) report(override, [key], `key "${key}" is not known`, suggest(key, known))
}

/** Reports paths whose `x-double` has no effect because none of their operations has a role. Reports each reason once. */
function checkPathsAreServed(
  operations: readonly Operation[],
  decisions: ReadonlyMap<Operation, Decision>,
  report: ReportAt,
): void {
  const reported = new Set<string>()
  for (const [path, members] of groupBy(operations, (operation) => operation.path)) {
    const override = members[0]?.pathOverride
    if (!override || members.some((member) => decisions.get(member)?.role !== 'mocked')) continue
    const undeclared = members.find((member) => operationOverrideOf(member).role === undefined)
    const decision = undeclared && decisions.get(undeclared)
    const why = decision?.role === 'mocked' ? `: ${decision.reason}` : ''
    if (reported.has(why)) continue
    reported.add(why)
    report(override, [], `no operation of ${path} can be stateful${why}`, 'correct this, or remove x-double')
  }
}

/** Reports names in templates that neither the records nor their paths have. */
function checkTemplates({ matches, model }: StatefulCollection, report: ReportAt): void {
  const { properties, requestOnly } = model.recordModel
  const known = [...properties.keys(), ...requestOnly.keys(), ...model.parents.map(({ parameter }) => parameter)]
  for (const operation of matches.keys()) {
    const { pathOverride } = operation
    if (!pathOverride) continue
    const { from, made } = pathOverrideOf(operation)
    const templates = [
      ...Object.entries(made).map(([name, each]) => [['made', name], each] as const),
      [['from'], from] as const,
    ]
    for (const [at, template] of templates)
      for (const name of namesInTemplate(template).filter((each) => !known.includes(each.split('.')[0] ?? '')))
        report(pathOverride, at, `"${name}" is not a property of the record`, suggest(name, known))
  }
}

function checkRoleIsServed(operation: Operation, decisions: ReadonlyMap<Operation, Decision>, report: ReportAt): void {
  const { override } = operation
  const { isForEveryone, role } = operationOverrideOf(operation)
  const decision = decisions.get(operation)
  if (!override || role === 'mocked' || (role === undefined && !isForEveryone) || decision?.role !== 'mocked') return
  const what = role === undefined ? 'access to records' : `the role ${role}`
  report(override, [], `${operation.id} cannot have ${what}: ${decision.reason}`, 'correct this, or remove x-double')
}

/** Reports parameters whose `x-double` has no effect in any listing. */
function checkParametersAct(
  operations: readonly Operation[],
  decisions: ReadonlyMap<Operation, Decision>,
  collections: readonly StatefulCollection[],
  report: ReportAt,
): void {
  const uses = operations.flatMap((operation) => {
    const decision = decisions.get(operation)
    return operation.parameters.map((parameter) => {
      const isInListing = decision?.role === 'list' && parameter.in === 'query'
      return {
        operation,
        parameter,
        acts: isInListing ? decision.match.effects?.has(parameter.name) === true : undefined,
      }
    })
  })
  const overridden = uses.filter(({ parameter }) => (parameterOverrideOf(parameter) ?? 'ignore') !== 'ignore')
  for (const [, shared] of groupBy(overridden, ({ parameter }) => parameter.override?.path.join('/'))) {
    const failed = shared.find(({ acts }) => acts === false)
    const { operation, parameter } = failed ?? shared[0] ?? {}
    if (!operation || !parameter?.override || (!failed && shared.some(({ acts }) => acts))) continue
    const meant = parameterOverrideOf(parameter) ?? ''
    const means = typeof meant === 'string' ? meant : meant.property
    if (!failed) {
      const what = `x-double: ${means} has no effect: ${parameter.name} is not a query parameter of a stateful listing`
      report(parameter.override, [], what, 'remove it')
      continue
    }
    const own = collections.find(({ matches }) => matches.has(operation))
    const properties = [...(own?.model.recordModel.properties.keys() ?? [])]
    const isKnown = [...meanings, ...properties].includes(means)
    const what = isKnown
      ? `parameter ${parameter.name} cannot mean ${means}: ${whyNot(means, parameter.name)}`
      : `"${means}" is not a property of the record`
    report(parameter.override, [], what, isKnown ? 'correct it' : suggest(means, properties, parameterHint))
  }
}

function whyNot(means: string, name: string): string {
  if (means === 'page') return `it must be an integer, and another parameter must cap the listing`
  if (means === 'cursor') return 'another parameter must cap the listing, and the response show a cursor or a link'
  if (means === 'sort' || means === 'search') return `${name} must be a string`
  return meanings.includes(means)
    ? `${name} must be an integer`
    : 'the property must be a string, number or boolean, and the parameter of the same type'
}
