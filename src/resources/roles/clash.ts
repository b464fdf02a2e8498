/** Finds the records with which an operation clashes, if its contract documents a response that says so. */
import { documentedResponse, type Operation, responseObject } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import { allowedValues, objectsIn, scalarType } from '../../contract/schemas/read-schema.js'
import { clashes, refusals, toldStatus } from '../../contract/told-status.js'
import { type JsonObject, onlyOf, textOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { isEqual } from '../json.js'
import { isSameName, singularOf, wordsOf } from '../names.js'
import { operationOverrideOf } from '../read-overrides.js'
import type { Entry, Records } from '../records/records.js'
import { isState } from './fresh-values.js'

/** A property, and its value in the record that clashes. */
export interface Clash {
  readonly property: string
  readonly value: unknown
  /** The documented status whose text told of it. Undefined: another text did. */
  readonly status?: number | undefined
}

function textOfClash(operation: Operation, words: RegExp): string | undefined {
  const status = operationOverrideOf(operation).off.has('clash') ? undefined : toldStatus(operation, 409, words)
  const text = textOf(responseObject(operation, String(status))['description'])
  return status === undefined || /idempoten/iu.test(text) ? undefined : text
}

/** Properties that name a record among others, first those that are hardly ever shared. */
const usualKeys = ['id', 'email', 'username', 'login', 'slug', 'key', 'code', 'phone', 'name']

/**
 * Matches a create or a change that documents a response such as "409: A tag with this name already exists": with one of the properties that it names, if it
 * says "or", else with all of them; without a name, with what usually names a record, else with all that a client sends.
 *
 * @param request - The names of the properties that it shares with the record, and of those that are not stored.
 */
export function matchTaken(operation: Operation, request: Readonly<Record<'notStored' | 'shared', readonly string[]>>) {
  const { notStored, shared } = request
  const text = textOfClash(operation, clashes.taken)
  // "Already changed by another client" is about no other record; that a version exists already is.
  const isOfTime =
    /\bstale\b|\bconcurren|\b(?:changed|modified|updated) (?:by|since)\b|\balready (?:in progress|running|started|being)\b/iu
  if (text === undefined || isOfTime.test(text)) return undefined
  const isNamed = (name: string): boolean =>
    new RegExp(String.raw`\b${wordsOf(name).join('[ _-]?')}\b`, 'iu').test(text)
  const named = shared.filter(isNamed)
  const usual = usualKeys.flatMap((key) => shared.filter((name) => isSameName(name, key)))
  const known = named.length > 0 ? named : usual
  // Records that differ only in what is not stored cannot be told apart.
  if (known.length === 0 && notStored.length > 0) return undefined
  const isAny = named.length > 0 && /\bor\b/iu.test(text)
  const groups = isAny ? named.map((name) => [name]) : [named.length > 0 ? named : undefined]
  return (
    { chunks }: Records,
    own: JsonObject,
    isBeside: (entry: Entry) => boolean,
  ): (Clash & Pick<Entry, 'record'>) | undefined => {
    // A client that may choose the id is refused for that alone.
    const sent = usual.filter((name, at) => Object.hasOwn(own, name) || (at === 0 && name === 'id')).slice(0, 1)
    const all = notStored.length > 0 ? [] : Object.keys(own)
    for (const names of groups.map((group) => group ?? (sent.length > 0 ? sent : all))) {
      const indexed = names.find((name) => typeof own[name] !== 'object' && Object.hasOwn(own, name))
      if (indexed === undefined) continue
      const having = chunks.flatMap((chunk) => chunk.having(indexed).get(own[indexed]) ?? [])
      const taken = having.find(
        (entry) => isBeside(entry) && names.every((name) => isEqual(entry.record[name], own[name])),
      )
      if (taken) return { property: indexed, value: own[indexed], record: taken.record }
    }
    return undefined
  }
}

const isPrecondition = /\bonly\b(?! (?:one|have|returns?)\b)|\b(?:must|should) be\b/iu
const isExclusion = /\b(?:cannot|can't|can not|may not|not (?:allowed|possible)|(?:is|are|was|been) already)\b/iu

interface ToldStates {
  readonly property: string
  readonly values: readonly unknown[]
  /** True: the operation works in all others. */
  readonly isExcluded: boolean
}

/**
 * Finds the states that a sentence names as the only ones in which an operation works, "You can only delete hooks with a status of `INACTIVE`",
 * or as those in which it does not, "Cannot cancel a paid invoice", "The link is on hold and cannot be revoked". Undefined: none.
 */
export function statesIn(
  sentence: string,
  { path, recordModel }: Pick<CollectionModel, 'path' | 'recordModel'>,
  isOfRefusal = false,
): ToldStates | undefined {
  const isExcluded = !isPrecondition.test(sentence)
  if (isExcluded && !isExclusion.test(sentence)) return undefined
  // What can be cancelled is not cancelled yet.
  const words = sentence.replaceAll(/\bcan(?:not|'t| not)? (?:only )?be \w+/giu, '').match(/[\w-]+/gu) ?? []
  const named = [...words, ...words.map((word, at) => `${word} ${words[at + 1] ?? ''}`)]
  const told = [...recordModel.properties].flatMap(([property, schema]) => {
    const all = isState(property, schema) ? allowedValues(schema) : []
    const values = all.filter((value) => named.some((name) => isSameName(name, String(value))))
    return values.length > 0 && values.length < all.length ? [{ property, values, isExcluded }] : []
  })
  if (told.length > 0 || !isOfRefusal) return onlyOf(told)
  const thing = wordsOf(singularOf(lastLiteral(path))).join('[ _-]?')
  // Other texts name flags for many reasons.
  const flags = [...recordModel.properties].flatMap(([property, schema]): readonly ToldStates[] => {
    const flag = wordsOf(property)
      .filter((word) => word !== 'is')
      .join(' ')
    const names = String.raw`\b(?:is|are|been|already|under|on)(?: (?!not\b)\w+)? ${flag}\b|\b(?<!\b(?:in|un|non)[ -])${flag} ${thing}s?\b`
    const isTold = scalarType(schema) === 'boolean' && new RegExp(names, 'iu').test(sentence)
    return isTold ? [{ property, values: [true], isExcluded }] : []
  })
  return onlyOf(flags)
}

type Told = readonly [text: string, status?: number]

/** Lists the texts of the documented refusals of an operation: their descriptions, and the values of the texts in their schemas. */
const textsOfRefusals = (operation: Operation): readonly Told[] =>
  refusals.flatMap((status) => {
    const documented = documentedResponse(operation, status)
    const values = documented?.contents.flatMap(({ schema }) => [...objectsIn(schema)].flatMap(allowedValues)) ?? []
    const { description } = documented ? responseObject(operation, documented.status) : {}
    return [description, ...values].map((text) => [textOf(text), status] as const)
  })

/** Matches a removal or an action whose text names the states in which it works, or does not. It clashes with a record in another one. */
export function matchToldState(
  model: CollectionModel,
  operation: Operation,
): ((record: JsonObject) => Clash | undefined) | undefined {
  const isDocumented = refusals.some((status) => documentedResponse(operation, status) !== undefined)
  if (!isDocumented || operationOverrideOf(operation).off.has('clash')) return undefined
  const texts: readonly Told[] = [[operation.text], ...textsOfRefusals(operation)]
  const all = texts.flatMap(([text, status]) =>
    text.split(/\.\s|\s[-*]\s(?=[A-Z])/u).flatMap((sentence) => {
      const states = statesIn(sentence, model, status !== undefined)
      return states ? { ...states, status } : []
    }),
  )
  if (all.length === 0) return undefined
  const only = all.find(({ isExcluded }) => !isExcluded)
  return (record) => {
    const isRefused = ({ isExcluded, property, values }: ToldStates): boolean =>
      values.includes(record[property]) === isExcluded
    const refusing = (only ? [only] : all).find(isRefused)
    return refusing && { property: refusing.property, value: record[refusing.property], status: refusing.status }
  }
}

/**
 * Matches an action that documents a response such as "409: Already active": it clashes with a record that has the values which it sets, and, if
 * the first sentence of its text names other values of an enum ("Cancel a pending notification"), with one that has none of these.
 */
export function matchWrongState(
  { recordModel }: CollectionModel,
  operation: Operation,
  meant: JsonObject,
): ((record: JsonObject) => Clash | undefined) | undefined {
  const text = textOfClash(operation, clashes.state)
  if (text === undefined) return undefined
  const isAboutSame = /\balready\b|\b(?:status|state)\b/iu.test(text)
  const [first = ''] = operation.text.split(/[.\n]/u, 1)
  const words = first.match(/[\w-]+/gu) ?? []
  const before = Object.entries(meant).map(([property, value]) => {
    const others = allowedValues(recordModel.properties.get(property) ?? {}).filter((each) => each !== value)
    return [property, others.filter((each) => words.some((word) => isSameName(word, String(each))))] as const
  })
  return (record) => {
    const isSet = isAboutSame && Object.entries(meant).every(([property, value]) => isEqual(record[property], value))
    const wrong = before.find(
      ([property, values]) => isSet || (values.length > 0 && !values.includes(record[property])),
    )
    return wrong && { property: wrong[0], value: record[wrong[0]] }
  }
}
