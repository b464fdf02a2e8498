/** Finds the records with which an operation clashes, if its contract documents a response that says so. */
import { type Operation, responseOverrideOf } from '../../contract/contract.js'
import { allowedValues } from '../../contract/schemas/read-schema.js'
import { clashes, textOfResponse, toldStatus } from '../../contract/told-status.js'
import type { JsonObject } from '../../documents/object.js'
import type { ErrorCode } from '../../http-errors.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { isEqual } from '../json.js'
import { isSameName, wordsOf } from '../names.js'
import { operationOverrideOf } from '../read-overrides.js'
import type { Entry, Records } from '../records/records.js'

/** A property, and its value in the record that clashes. */
export interface Clash {
  readonly property: string
  readonly value: unknown
}

/** @param code - That of the error, which `x-double` may give to a response. */
function textOfClash(operation: Operation, words: RegExp, code: ErrorCode): string | undefined {
  const stated = operation.responses.find((each) => responseOverrideOf(each).includes(code))?.status
  const isOff = operationOverrideOf(operation).off.has('clash')
  const status = isOff ? undefined : (stated ?? toldStatus(operation, 409, words))
  const text = [textOfResponse(operation, String(status)), stated ? code.replace('_', ' ') : []].flat().join(', ')
  return status === undefined || /idempoten/iu.test(text) ? undefined : text
}

/** Properties that name a record among others, first those that are hardly ever shared. */
const usualKeys = ['id', 'email', 'mail', 'username', 'login', 'slug', 'key', 'code', 'phone', 'name']

/**
 * Matches a create or a change that documents a response such as "409: A tag with this name already exists": with one of the properties that it names, if it
 * says "or", else with all of them; without a name, with what usually names a record, else with all that a client sends.
 *
 * @param request - The names of the properties that it shares with the record, of those that are not stored, and of those that no client sets.
 */
export function matchTaken(
  operation: Operation,
  request: Readonly<Record<'notStored' | 'shared', readonly string[]>> & { readonly serverOwned: ReadonlySet<string> },
) {
  const { notStored, serverOwned } = request
  const shared = request.shared.filter((name) => !serverOwned.has(name))
  const text = textOfClash(operation, clashes.taken, 'taken')
  // "Already changed by another client" is about no other record; that a version exists already is.
  const isOfTime =
    /\bstale\b|\bconcurren|\b(?:changed|modified|updated) (?:by|since)\b|\balready (?:in progress|running|started|being)\b/iu
  // "If the name already exists, creates the next version".
  const isFollowed = /\b(?:already exists?|in use|taken)\b[^.]*\b(?:creates|returns|updates|replaces|overwrites)\b/iu
  if (text === undefined || isOfTime.test(text) || isFollowed.test(operation.text) || shared.length === 0)
    return undefined
  const isNamed = (name: string): boolean =>
    new RegExp(String.raw`\b${isSameName(name, 'mail') ? 'e-?mail' : wordsOf(name).join('[ _-]?')}\b`, 'iu').test(text)
  // "With the same parameters".
  const isWhole = /\bsame (?:data|details|parameters|properties|values)\b|\bidentical\b/iu.test(text)
  const named = isWhole ? [] : shared.filter(isNamed)
  const usual = isWhole ? [] : usualKeys.flatMap((key) => shared.filter((name) => isSameName(name, key)))
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

/**
 * Matches an action that documents a response such as "409: Already active": it clashes with a record that has the values which it sets, and, if
 * the first sentence of its text names other values of an enum ("Cancel a pending notification"), with one that has none of these.
 */
export function matchWrongState(
  { recordModel }: CollectionModel,
  operation: Operation,
  meant: JsonObject,
): ((record: JsonObject) => Clash | undefined) | undefined {
  const text = textOfClash(operation, clashes.state, 'wrong_state')
  if (text === undefined) return undefined
  const isAboutSame = /\balready\b|\b(?:status|state)\b/iu.test(text)
  const [first = ''] = operation.text.split(/[.\n]/u, 1)
  const words = first.match(/[\w-]+/gu) ?? []
  const before = Object.entries(meant).map(([property, value]) => {
    const others = allowedValues(recordModel.properties.get(property) ?? {}).filter((each) => each !== value)
    return [property, others.filter((each) => words.some((word) => isSameName(word, String(each))))] as const
  })
  if (!isAboutSame && before.every(([, values]) => values.length === 0)) return undefined
  return (record) => {
    const isSet = isAboutSame && Object.entries(meant).every(([property, value]) => isEqual(record[property], value))
    const wrong = before.find(
      ([property, values]) => isSet || (values.length > 0 && !values.includes(record[property])),
    )
    return wrong && { property: wrong[0], value: record[wrong[0]] }
  }
}
