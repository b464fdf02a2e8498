/**
 * Proposes edits of the spec that would make the double agree with the service. Those of the status are here: of parameters, ids, required
 * properties, credentials and responses.
 */
import { isDeepStrictEqual } from 'node:util'

import { operationCursor, schemaAt } from '../contract/spec-places.js'
import { removeAction, updateAction } from '../contract/write-overlay.js'
import { isObject, listOf, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { valueAt } from '../documents/pointer.js'
import { noCredential } from '../pull/requests.js'
import { isSuccess, type ServiceResponse } from '../pull/service-client.js'
import { contentOf } from './describe-response.js'
import type { Difference } from './differences.js'
import type { Edit, EditContext } from './edit.js'
import {
  asCodes,
  bodyEdits,
  contentOfBody,
  edit,
  ignoreSent,
  nodeAt,
  dropKeyword,
  schemaOfBody,
  setKeywords,
  updateAt,
  withoutRequired,
} from './edit.js'
import type { FoundDifference } from './evaluate-probes.js'
import type { AnsweredStep } from './run-probes.js'

export const differenceKey = (probe: string, { part, what }: Difference): string => `${probe} ${part} ${what}`

/** @returns Undefined: no edit can express the difference. */
export function proposeEdit(difference: FoundDifference, context: EditContext): Edit | undefined {
  const { at, from, part, value } = difference
  // A mocked response has no effect of a parameter.
  if (part === 'body' && at.step.parameter && !value && from === undefined) return undefined
  if (part === 'status') return editParameter(difference, context)
  // The contract states neither the value of a header nor an order.
  return part === 'header' || part === 'order' ? undefined : bodyEdits[part](difference, context)
}

function editParameter(difference: FoundDifference, context: EditContext): Edit | undefined {
  const { at, place } = difference
  const { double, service, step } = at
  const isFound = isSuccess(service) && errorOf(double) === 'unknown_record'
  if (!step.parameter || isFound) return editStatus(difference, context)
  const { name, value } = step.parameter
  const kind = step.parameter.case
  if (kind === 'malformed-id' && service.status === 404) return editPattern(difference, context)
  if (service.status >= 400 && double.status >= 400) return editStatus(difference, context)
  if (kind === 'without') return isSuccess(service) ? editStatus(difference, context) : editRequired(at, name, context)
  const isAccepted = service.status < 300 && double.status >= 400
  const schema = place.slice(0, -1)
  if (isAccepted && kind === 'missing') return updateAt(context, `\`${name}\` is optional`, schema, { required: false })
  if (isAccepted && (kind === 'below-minimum' || kind === 'negative')) {
    const negativeName = `${step.probed?.operation.id ?? ''}:${name}-negative`
    const negative = context.results.find(({ probe }) => probe.name === negativeName)
    const isUnbounded = kind === 'negative' || (negative?.outcome === 'differs' && Number(value) >= 0)
    return isUnbounded ? dropKeyword(context, place) : setKeywords(context, schema, { minimum: Number(value) })
  }
  if (isAccepted && kind === 'above-maximum') return dropKeyword(context, place)
  if (isAccepted && kind === 'not-boolean') {
    // Handlers still get true and false.
    const either = { anyOf: [{ type: 'boolean' }, { type: 'string' }] }
    return edit(context, `\`${name}\` may be any text`, schema, removeAction(place), updateAction(schema, either))
  }
  if (isAccepted && kind === 'empty') {
    return updateAt(context, 'add `allowEmptyValue: true`', schema.slice(0, -1), { allowEmptyValue: true })
  }
  return undefined
}

/** Removes the pattern or the format of an id. The double then looks up an id that it refused before, and does not find it. */
function editPattern({ at: { step }, place }: FoundDifference, context: EditContext): Edit | undefined {
  const schema = nodeAt(context, place)
  const keyword = ['pattern', 'format'].find((name) => isObject(schema) && typeof schema[name] === 'string')
  const isLookedUp = context.results
    .flatMap(({ steps }) => steps)
    .filter(({ step: each }) => each.probed === step.probed && each.parameter?.case === 'malformed-id')
    .every(({ service }) => !('failure' in service) && service.status === 404)
  return keyword === undefined || !isLookedUp ? undefined : dropKeyword(context, [...place, keyword])
}

/** Requires a property of a body, if the service has accepted the same body with it. */
function editRequired({ step }: AnsweredStep, name: string, context: EditContext): Edit | undefined {
  const { contract, results } = context
  const namesIn = (body = ''): readonly string[] => Object.keys(objectOf(jsonIn(body))).toSorted()
  const created = results.find(({ probe }) => probe.name === `${step.probed?.operation.id ?? ''}:creates`)
  const isAccepted = created?.steps.some(
    ({ service, step: { body, isCreation } }) =>
      isCreation === true &&
      isSuccess(service) &&
      isDeepStrictEqual(namesIn(body), [...namesIn(step.body), name].toSorted()),
  )
  const schema = step.probed && schemaOfBody(context, step.probed.operation)
  if (!isAccepted || !schema) return undefined
  const users = contract.operations.filter((each) => isDeepStrictEqual(schemaOfBody(context, each)?.path, schema.path))
  if (users.length === 1) return updateAt(context, `require \`${name}\``, schema.path, { required: [name] })
  // The other operations with this body may not need it.
  const own = [...(contentOfBody(context, step.probed.operation)?.path ?? []), 'schema']
  const { $ref } = objectOf(nodeAt(context, own))
  if (own[0] !== 'paths' || $ref === undefined) return undefined
  // One edit has all names, so that no second one replaces the reference.
  const required = results.flatMap(({ differences }) =>
    differences.flatMap(({ at: { double, service: answer, step: other } }) => {
      const isNeeded = other.parameter?.case === 'without' && answer.status >= 400 && double.status < 300
      return isNeeded && other.probed === step.probed ? [other.parameter.name] : []
    }),
  )
  const extended = { allOf: [{ $ref }], required: [...new Set(required)] }
  const what = `require ${asCodes(extended.required)}`
  return edit(context, what, own, removeAction([...own, '$ref']), updateAction(own, extended))
}

function editStatus({ at }: FoundDifference, context: EditContext): Edit | undefined {
  const { double, service, step } = at
  if (!step.probed) return undefined
  const { decision, operation } = step.probed
  const { path } = operationCursor(context.contract, operation)
  const isAnonymous = isDeepStrictEqual(step.credential(String), noCredential)
  if (double.status === 401 && service.status < 300 && isAnonymous) {
    const old = nodeAt(context, [...path, 'security']) === undefined ? [] : [removeAction([...path, 'security'])]
    return edit(context, 'it needs no credential', path, ...old, updateAction(path, { security: [] }))
  }
  const off = (effect: string) => updateAction(path, { 'x-double': { off: [effect] } })
  const idProperty = step.probed.collection?.model.idProperty ?? ''
  const isTaken = step.isRepeated === true && isSuccess(double) && [400, 409, 422].includes(service.status)
  const error = isTaken ? 'taken' : errorOf(double)
  // Its own failure is no answer of a service.
  if (double.status >= 500) return undefined
  if (error === 'unexpected_body') return edit(context, 'it takes a body', path, off('body'))
  if ((error === 'taken' || error === 'id_exists') && isSuccess(service)) {
    const duplicates = error === 'taken' ? [off('clash')] : []
    return edit(context, 'it accepts duplicates', path, ...duplicates, ...ignoreSent(step, idProperty, context))
  }
  const looser = isSuccess(service) ? editBody(at, context) : undefined
  if (looser) return looser
  const findsParent = decision.role === 'mocked' ? decision.findMissing : decision.httpEffects.includes('parent')
  if (error === 'unknown_record' && isSuccess(service) && findsParent)
    return edit(context, 'it does not look for the records of its path', path, off('parent'))
  const responses = [...path, 'responses']
  const isAbsent = [404, 405, 501].includes(service.status)
  // Without an id in the path, the service does not have the operation.
  const isUsual =
    double.status < 300 &&
    (service.status < 400 || (isAbsent && decision.role === 'mocked' && !operation.path.endsWith('}')))
  // What the service does not find, it looks up before it checks the rest.
  const name = isUsual ? 'usual' : service.status >= 400 && service.status !== 404 ? error : undefined
  if (name === undefined || step.method !== operation.method) return undefined
  const content = service.text === '' ? {} : { content: contentOf(service) }
  const isDocumented = nodeAt(context, [...responses, String(service.status)]) !== undefined
  const its = isDocumented ? {} : { description: 'The response of the service.', ...content }
  const value = { [service.status]: { ...its, 'x-double': { [name]: true } } }
  const what = `answer \`${name}\` with \`'${service.status}'\``
  return {
    ...edit(context, what, [...responses, String(double.status)], updateAction(responses, value)),
    answers: name,
  }
}

/** Rules of a body that may go. Without a type, nothing of a property would be certain. */
const mayGo = /^(?:enum|format|pattern|(?:min|max)(?:Length|Items|imum))$/u

/** Removes the rule of the body that the double sees broken, and the service does not. Undefined: it is no rule that may go. */
function editBody({ double, step }: AnsweredStep, context: EditContext): Edit | undefined {
  const { code, location } = objectOf(brokenIn(double))
  const [, where, ...path] = listOf(location).filter((each) => typeof each === 'string')
  const schema = where === 'body' && step.probed ? schemaOfBody(context, step.probed.operation) : undefined
  if (!schema) return undefined
  const at = schemaAt(schema, path)
  const sent = objectOf(valueAt(jsonIn(step.body ?? ''), path))
  if (code === 'required') return withoutRequired(context, at, (name) => !Object.hasOwn(sent, name))?.edit
  const rule = [...at.path, String(code)]
  // New ids have the format of the id.
  const isOfId = path.length === 1 && path[0] === step.probed?.collection?.model.idProperty
  const isKnown = nodeAt(context, rule) !== undefined
  return isKnown && !isOfId && mayGo.test(String(code)) ? dropKeyword(context, rule) : undefined
}

export const brokenIn = ({ headers }: ServiceResponse): unknown =>
  listOf(jsonIn(headers['sl-violations'] ?? '')).find((each) => objectOf(each)['severity'] === 'Error')

/** Returns the rule that the request breaks by the double, else the code of its error. */
export function errorOf(response: ServiceResponse): string | undefined {
  const code = response.headers['x-error-code']
  return code === 'invalid_request' ? String(objectOf(brokenIn(response))['code']) : code
}
