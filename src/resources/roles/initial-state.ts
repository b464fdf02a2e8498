/** Finds the state of a new record. */
import { allowedValues, findKeyword, scalarType } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isSameName, wordsOf } from '../names.js'

export const isState = (name: string, schema: JsonObject): boolean =>
  scalarType(schema) === 'string' && /^(?:status|state|phase|stage)$/u.test(wordsOf(name).at(-1) ?? '')

const initial =
  /^(?:new|created|draft|init\w*|pending|open|opened|active|queued|todo|to do|not started|backlog|planned|scheduled|requested|submitted|placed|received|registered|unpaid|unread|unverified|waiting|available|idle|ready)$/u

/** Names the state that a new record gets: `get a "pending" status`, `created with the status set to INACTIVE`, `Creates a draft invoice`. */
const told =
  /\b(?:in|with|gets?|has|have) (?!the\b)(?:an? )?(["'`*]*)([\w-]+)["'`*]* (?:status|state)\b|\b(?:status|state)(?: is)?(?: set)?(?: to| of)?(?: either)? (["'`*]+)([\w-]+)["'`*]|^creates? (?:an? )?(?:new )?([\w-]+) /giu
const isCreation = /\b(?:creat|new|add|enrol|start)/iu
const isCondition = /\b(?:if|can|could|may|must|not|once|when|until (?:you|the))\b|n't\b/iu

/** Finds the state that a text names for a new record. A text without a list of values is taken only in quotes. Undefined: none. */
function stateIn(text: string, values: readonly string[], isOpen: boolean): string | undefined {
  const sentences = text.split(/\.\s/u).filter((each) => isCreation.test(each) && !isCondition.test(each))
  const found = sentences.flatMap((sentence) =>
    [...sentence.trim().matchAll(told)].flatMap(([, quote = '', first, other = '', second, third]) => {
      const word = first ?? second ?? third ?? ''
      return isOpen && quote + other !== '' ? [word] : values.filter((value) => isSameName(value, word))
    }),
  )
  return found[0]
}

/**
 * Finds the state of a new record: the one that a text names, that of the example, the first value that sounds initial; never an unspecified one
 * while there is another.
 *
 * @param text - That of the create.
 * @param shown - Lists the values in the examples of its response. Called only if the text names none.
 * @returns Undefined: nothing tells it.
 */
export function initialState(schema: JsonObject, text: string, shown: () => readonly unknown[]): string | undefined {
  const allowed = allowedValues(schema).filter((value) => typeof value === 'string')
  // `KEY_STATUS_` of `KEY_STATUS_UNSPECIFIED` is a prefix of the others.
  const unset = allowed.find((value) => /unspecified$/iu.test(value))
  const prefix = unset?.replace(/unspecified$/iu, '') ?? ''
  const values = allowed.filter((value) => value !== unset)
  const isOpen = ['enum', 'format', 'pattern'].every((name) => findKeyword(schema, name) === undefined)
  const isFit = (value: unknown): value is string =>
    typeof value === 'string' && (values.includes(value) || (isOpen && value !== ''))
  return (
    stateIn(text, values, isOpen) ??
    shown().find(isFit) ??
    values.find((value) => initial.test(wordsOf(value.replace(prefix, '')).join(' '))) ??
    (unset === undefined ? undefined : values[0])
  )
}
