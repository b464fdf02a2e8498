/** Action: an operation on a verb below a record sets the property that the verb names, or updates the record by a body of its properties. */
import type { Operation } from '../../contract/contract.js'
import { asSegments } from '../../contract/path-template.js'
import { allowedValues, itemsOf, objectSchema, propertiesOf, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf, onlyOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { requestContentOf, successResponseOf } from '../infer/success-response.js'
import { isEqual } from '../json.js'
import { inWords, isSameName, namedIn, singularOf, wordsOf } from '../names.js'
import { operationOverrideOf } from '../read-overrides.js'
import { changeRecord, changedStatuses, createTimesOfChange } from './change-record.js'
import { matchWrongState } from './clash.js'
import { fail, findRecord, idIn, relatedIn } from './find-record.js'
import { timeEndings, timeOf } from './fresh-values.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import { read } from './read.js'
import type { Role, RoleMatch } from './role.js'
import { update } from './update.js'

/** Verbs that make another record. A plural names other records, too. */
const makesAnother = /^(?:copy|clone|duplicate|fork|remix|children|.*s)$/iu

export const action: Role = {
  name: 'action',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  match: (model, operation) => {
    const verb = asSegments(operation.path).split('/').at(-1) ?? ''
    const { set } = operationOverrideOf(operation)
    const isPart = model.recordModel.properties.has(verb)
    const { body: shown } = matchSuccessResponse(model, operation, '200')
    const showsRecord = shown !== undefined && model.recordModel.schemas.includes(shown.schema)
    const isNoun = shown !== undefined && isSameName(model.contract.schemaName(shown.schema) ?? '', verb)
    if (!set && isNoun && !showsRecord) return `its success response shows another object, the ${verb}`
    if (operation.method === 'GET') return isPart && showsRecord ? read.match(model, operation) : null
    const { description, hasBody, status } = successResponseOf(operation, ...changedStatuses)
    const told = `${operation.text} ${description}`
    const meant = set ?? findMeant(model, verb, operation.method === 'DELETE', told)
    const request = operation.requestBody ? matchRequestBody(model, operation) : ''
    const isOther = shown !== undefined && !showsRecord && model.contract.schemaName(shown.schema) !== undefined
    if (!set && isOther && typeof request === 'object' && request.shared.length > 0)
      return 'what its body changes belongs to the other object that its success response shows'
    const body = objectSchema(requestContentOf(operation)?.schema ?? {})
    const forms = formsOf(wordsOf(verb).join(''))
    // `{banned: false}` for `/ban`, where the record has `is_banned`.
    const decides = ([name, schema]: readonly [string, JsonObject]): boolean =>
      !model.recordModel.properties.has(name) &&
      ((allowedValues(schema).length > 1 && body?.required.has(name) === true) ||
        (scalarType(schema) === 'boolean' && forms.has(wordsOf(name).join(''))))
    if (!set && [...(body?.properties ?? [])].some(decides)) return `its body says what ${verb} does`
    // `POST /concepts/{id}/preorder` with an address is no change of its `mode`, which may be `preorder`.
    const isOfOther = typeof request === 'string' && body !== undefined && body.required.size > 0
    const isMode = ([name, value]: readonly [string, unknown]): boolean =>
      typeof value === 'string' && !/(?:phase|stage|state|status)$/iu.test(name)
    if (!set && meant && isOfOther && Object.entries(meant).every(isMode))
      return `its body is of another thing, the ${verb}`
    if (meant && (set || status === 200 || status === 204)) {
      const findWrong = matchWrongState(model, operation, meant)
      return matchSetter(model, operation, request, (sent) => ({ ...meant, ...sent }), findWrong)
    }
    // A change of the property that the path names need not show the record.
    const isSilent = isPart && !hasBody
    const isDone = status === 200 || (isSilent && status === 204)
    const isList = isPart && itemsOf(model.recordModel.properties.get(verb) ?? {}) !== undefined
    const mayUpdate = (operation.method !== 'DELETE' || isList) && isDone && (isPart || !makesAnother.test(verb))
    const isOfRecord = mayUpdate && typeof request === 'object' && request.shared.length === request.size
    if (!isOfRecord || !(showsRecord || isSilent))
      return `it is not known which properties of the record ${verb} changes`
    if (isPart && request.schema.properties.has(verb)) {
      const join = joinOf(operation)
      return matchSetter(model, operation, request, (sent, record) => {
        if (!Object.hasOwn(sent, verb)) return {}
        return { [verb]: isList ? join(listOf(sent[verb]), listOf(record[verb])) : sent[verb] }
      })
    }
    if (operation.method !== 'PUT') return update.match(model, operation)
    return matchSetter(model, operation, request, (sent) => sent)
  },
}

/** Matches an operation that sets properties. @param body - Its body, or the reason why that is no part of the record. @param changeOf - Returns the properties, by what is sent. */
function matchSetter(
  model: CollectionModel,
  operation: Operation,
  body: RequestRecord | string,
  changeOf: (sent: JsonObject, record: JsonObject) => JsonObject,
  findWrong?: ReturnType<typeof matchWrongState>,
): RoleMatch {
  const response = matchSuccessResponse(model, operation, ...changedStatuses)
  const unsent = typeof body === 'object' ? body.serverOwned : model.recordModel.properties.keys()
  // A flag is no edit.
  const changing = [...unsent].filter((name) => !wordsOf(name).includes('edited'))
  const timed = createTimesOfChange(model, operation, changing)
  return {
    filled: () => response.filled(),
    leftOut: () => response.leftOut(),
    notStored:
      typeof body === 'object' ? body.notStored : [...propertiesOf(requestContentOf(operation)?.schema ?? {}).keys()],
    httpEffects: [...timed.httpEffects, ...(findWrong ? (['clash'] as const) : [])],
    handle: (handled) => {
      const { context, request, target } = handled
      const found = findRecord(handled)
      if ('error' in found) return found
      const clash = findWrong?.(found.record)
      if (clash) return fail(target, 'wrong_state', { id: idIn(target, request), clash })
      const sent = typeof body === 'object' ? body.storable(body.read(request) ?? {}, relatedIn(handled)) : {}
      const changed = changeOf(sent, found.record)
      const { now } = context.clock
      const record = { ...found.record, ...changed, ...followingFrom(model, changed, found.record, now) }
      return changeRecord(handled, found, timed.apply(record, now), response)
    },
  }
}

/** Returns how an operation changes a list by a sent one: `DELETE` and "Remove tags" take its items out, "Add tags" puts them in once, any other replaces it. */
function joinOf({ id, method, summary }: Operation): (sent: List, old: List) => List {
  const verbs = [summary, id].flatMap((text) => wordsOf(text))
  const isIn = (items: List, item: unknown): boolean => items.some((each) => isEqual(each, item))
  if (method === 'DELETE' || verbs.some((word) => /^(?:remove|delete|detach|unassign)$/u.test(word)))
    return (sent, old) => old.filter((item) => !isIn(sent, item))
  if (verbs.some((word) => /^(?:add|append|attach|assign)$/u.test(word)))
    return (sent, old) => [...old, ...sent.filter((item) => !isIn(old, item))]
  return (sent) => sent
}

/**
 * Returns what follows from a flag or a state that is set: `published_at` and `status_update_time` are now, a flag with `unpublished` in its name is
 * false, and `favourites_count` counts the change of `favourited`.
 */
function followingFrom(
  { recordModel }: CollectionModel,
  changed: JsonObject,
  old: JsonObject,
  now: string,
): JsonObject {
  const entries = Object.entries(changed)
  const reached = entries.flatMap(([name, value]) =>
    value === true ? [inWords(name).replace(/^is /u, '')] : typeof value === 'string' ? [value.toLowerCase()] : [],
  )
  const events = entries.flatMap(([name]) =>
    ['update', 'updated', 'change', 'changed'].map((each) => `${name} ${each}`),
  )
  const isTime = (name: string): boolean =>
    [...reached, ...events].some((each) => timeEndings.some((ending) => isSameName(name, `${each} ${ending}`)))
  const countOf = (name: string): unknown => {
    const [, noun = ''] = /^(.+) count$/u.exec(inWords(name)) ?? []
    const count = old[name]
    const isFlag = ([flag, value]: readonly [string, unknown]): boolean =>
      typeof value === 'boolean' && (old[flag] ?? false) !== value && inWords(flag).startsWith(singularOf(noun))
    const [, isSet] = (noun !== '' && entries.find(isFlag)) || []
    return isSet === undefined || typeof count !== 'number' ? undefined : Math.max(0, count + (isSet ? 1 : -1))
  }
  const valueOf = (name: string, schema: JsonObject): unknown => {
    if (isTime(name)) return timeOf(schema, () => undefined)?.(now)
    const isUndone = reached.some((each) => wordsOf(name).includes(`un${each}`))
    return scalarType(schema) === 'boolean' && isUndone ? false : countOf(name)
  }
  return Object.fromEntries(
    [...recordModel.properties].flatMap(([name, schema]) => {
      const value = Object.hasOwn(changed, name) ? undefined : valueOf(name, schema)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

type List = readonly unknown[]

/** Verbs, each before the state that it leads to. */
const irregular =
  'reopen open, hide hidden, send sent, pay paid, hold held, freeze frozen, stop stopped, resume active, activate active, deactivate inactive, pause paused, ' +
  'on enabled, off disabled, able enabled'

/** Returns the names of what a verb leads to: `archive` is `archived`, `cancel` is `cancelled`, `resume` is `active`. */
function formsOf(verb: string): ReadonlySet<string> {
  const [, state = verb] = new RegExp(String.raw`\b${verb} (\w+)`, 'u').exec(irregular) ?? []
  const stem = verb.replace(/e$/u, '').replace(/y$/u, 'i')
  const forms = [state, `${stem}ed`, `${verb}${verb.at(-1) ?? ''}ed`, `${verb}d`, verb]
  return new Set([...forms, ...forms.map((form) => `is${form}`)])
}

/** The verbs that undo another. */
const opposite = /^(?:un|de|dis)(?=[a-z]{3})/u

/** Finds the one flag, or the one value of an enum, that a verb names. Undefined: none, or several. @param told - Texts that may name one of several values, such as `cancelling` and `cancelled`. */
export function findMeant(
  { recordModel }: CollectionModel,
  verb: string,
  isUndone: boolean,
  told = '',
): Readonly<Record<string, unknown>> | undefined {
  const word = wordsOf(verb).join('')
  // Another record loses what the record gets.
  if (word === 'default' || word === 'primary') return undefined
  const positive = word === 'off' ? 'on' : word.replace(opposite, '')
  const found: (readonly [string, unknown])[] = []
  const [own, base] = [formsOf(word), formsOf(positive)]
  const goingOn = new Set([...own].flatMap((form) => (form.endsWith('ed') ? form.replace(/ed$/u, 'ing') : [])))
  for (const [name, schema] of recordModel.properties) {
    const property = wordsOf(name).join('')
    if (scalarType(schema) === 'boolean') {
      if (own.has(property)) found.push([name, !isUndone])
      else if (base.has(property)) found.push([name, isUndone])
    }
    const values = (isUndone ? [] : allowedValues(schema)).filter((value) => typeof value === 'string')
    const fitting = values.filter((value) => own.has(wordsOf(value).join('')))
    const ongoing = values.filter((value) => goingOn.has(wordsOf(value).join('')))
    const several = fitting.length === 0 ? [] : [...fitting, ...ongoing]
    const chosen = several.length > 1 ? namedIn(told, several) : undefined
    for (const value of chosen === undefined ? several : [chosen]) found.push([name, value])
  }
  const only = onlyOf(found)
  return only && Object.fromEntries([only])
}
