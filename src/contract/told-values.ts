/** Finds what the description of a property says where no schema does: its values, and that no response has it. */

const word = String.raw`(?:\*\*[\w-]+\*\*|[\x60"'][^\s\x60"']+[\x60"']|[\p{L}][\p{L}\d_-]*)`
const between = String.raw`(?:, ?(?:or |and )?| ?\| ?| or | and )`
/** A list of words after what introduces it, up to the end of the sentence or the bracket. */
const toldList = new RegExp(
  String.raw`(?:(?<!not |not be )\b(be|is|are|values?|one of|either|options?|consisting|eg|i\.?e|e\.g|such as|like)[.,:]* |[:([] ?|^)(${word}(?:${between}${word})+)(?:(?<=[\x60"'])|(?=\.?$|[)\].;]|, \.\.|,? etc|\. |\n))`,
  'iu',
)
const betweenWords = new RegExp(between, 'u')
const ofChoice = /(?:status|state|type|kind|role|level|priority|mode|method|category|scope|severity|visibility)$/iu

/**
 * Lists the values that the description of a text names, as in "Will be `book` or `podcast`" and "pending, confirmed, cancelled". Empty: it names
 * none, or one.
 *
 * @param name - Of the property: without quotes, words are values of a status or a kind only.
 */
export function toldValues(description: string, name: string): readonly string[] {
  const [, before = '', list = ''] = toldList.exec(description) ?? []
  const isQuoted = /^[`"'*]/u.test(list)
  const isPlain = /^[a-z][\w-]*(?:, ?[a-z][\w-]*)+\.?$/u.test(description)
  const isChoice = list.includes(' | ') || /of|value|either|option/iu.test(before) || ofChoice.test(name)
  if (!isQuoted && !isPlain && !isChoice) return []
  return list
    .split(betweenWords)
    .map((each) => each.replaceAll(/^[`"'*]+|[`"'*]+$/gu, ''))
    .filter((each, _, { length }) => each !== 'etc' && length > 1)
}

/** Returns the value that the description of a text says to be the only one: `always "x"`, `set to "x"`. */
export const toldConstant = (description: string): string | undefined =>
  /\b(?:always|set to) (["'`])([^"'`]+)\1(?!\s+(?:if|when|or|and)\b)/iu.exec(description.replaceAll(/[“”]/gu, '"'))?.[2]

/** Tells whether a description says that no response has the property. */
export const isToldHidden = (description: string): boolean =>
  /\bmust not be sent by the server\b|\bwrite[- ]only\b|\bnever (?:be )?(?:returned|sent back|included in (?:the |a )?response)|\bnot returned in any response/iu.test(
    description,
  )

/** Lists the words that the text of an operation excepts from what it sends, which may be properties: "except the privatekey". */
export const toldExceptions = (text: string): readonly string[] =>
  Array.from(
    text.matchAll(/\b(?:except|excluding|omitting)(?: for)?(?: the| its| their)?(?: actual)? [`"'*]*(\w+)/giu),
    ([, excepted = '']) => excepted,
  )

/** Tells whether a description says that lists lack the property: "omitted during GET on the list endpoint". */
export const isToldOmitted = (description: string): boolean =>
  /\b(?:omitted|empty when)\b(?:[^.]|\.\.+)*\blist(?:ing)?\b/iu.test(description)

/** Tells whether a text says that only the response to a create has the property. */
export const isToldOnce = (text: string): boolean =>
  /\bonly (?:be )?(?:returned|shown|visible|displayed|available|present|included) (?:once )?(?:at|after|during|in|on|upon|when)\b[^.]*\bcreat|\b(?:returned|shown|visible|displayed) only (?:once|(?:at|after|during|in|on|upon|when)\b[^.]*\bcreat)|\bnever again\b|\bomitted when you (?:get|list|search)\b|\b(?:cannot be|not possible to) (?:retrieve|see|view|show)/iu.test(
    text,
  )
