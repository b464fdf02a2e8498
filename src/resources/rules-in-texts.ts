/** Finds the sentences of a contract that tell rules which no schema tells. The double says which it does not check. */
import { STATUS_CODES } from 'node:http'

import { responseObject } from '../contract/contract.js'
import { descriptionOf, itemsOf, propertiesOf } from '../contract/schemas/read-schema.js'
import { toldStatus } from '../contract/told-status.js'
import { type JsonObject, textOf } from '../documents/object.js'
import type { ParameterEffect } from './explanation.js'
import type { CollectionModel } from './infer/collection-model.js'
import type { StatefulDecision } from './roles/role.js'

/** The words of a rule: when something is refused, what a value must be, what a missing value means, what else changes. */
const isRule = new RegExp(
  [
    String.raw`\b(?:cannot|can ?not|can't|may not|must|unless|fails?|prefixed with|unique(?! (?:[\w-]+ ){0,3}(?:id|identifier|string|key)s?\b))\b`,
    String.raw`\bonly\b[^.]*\b(?:by|if|when|while|after|before|for|can|one|set|contain|allowed|possible|available|included|returned|listed|accepted|supported|ha(?:s|ve))\b|\b(?:can|may|will) only\b`,
    String.raw`\brequired (?:if|when|for|only|unless)\b|\brequires? (?:the|an?|that|at)\b|\b(?:is|are|be|gets?) (?:not allowed|rejected|refused|ignored)\b`,
    String.raw`\berrors? (?:is|are|will be|if|when)\b|\b(?:returns?|throws?|results? in) an? (?:\w+ )?error\b`,
    String.raw`\bif no\b[^.]*\b(?:specified|given|provided|set|sent)\b|(?:\b(?:not|never)|n't) (?:be(?:en)? )?(?:provided?|specified|given|set|supplied|passed|returned?|present)\b`,
    String.raw`\b(?:if|when) (?:omitted|left|absent|empty|unset|missing|blank)\b|\b(?:already|replaces (?:the|any|all)|no longer|will (?:also|still)|also \w+(?:s|ed))\b`,
    // What a missing or an empty value means.
    String.raw`\bif it has no\b|\breset\w*\b[^.]*\bdefault\b|\bempty (?:string|list|array|object)\b|\bor omitted\b|\bset to null\b|^\W*required\b`,
    // How a value is compared, or changed before it is stored.
    String.raw`\b(?:matched against|we check|(?:normali[sz]|convert|trimm|uppercas|lowercas|clamp|dropp)ed)\b|\b(?:not case.sensitive|case.insensitive|merged? with)\b`,
    // What is computed, or changes elsewhere.
    String.raw`\bautomatically\b|\bauto-?(?:updat|creat|remov|delet|clos|assign)|\b(?:unblocks?|mirrors?|snapshots? of)\b|\bcascad|\bre(?:calculat|comput)|\b(?:derived|computed|calculated) from\b|\(\w+ [*+×÷/] \w+`,
    String.raw`\bwill (?:be (?:set|created|generated|merged|removed|deleted|added)|merge|create|remove|delete)\b|\band (?:any|all|its) (?:associated|related|linked|corresponding)\b`,
    // Numbers of records, states, times and choices.
    String.raw`\bone (?:default|\w+ per \w+)\b|\bat least one\b|→|\btransitions?\b|\b(?:last|past) (?:\d+ |few )?(?:hour|day|week|month|year)s?\b|\bread.?onl\w+\b|\brestrict\b|\b(?:alternatively|rather than|instead of)\b|\beither\b[^.]*\bor\b`,
    // What a response is, or has.
    String.raw`\bLink\W* header|\b(?:returns?|responds? with) (?:an? )?[45]\d\d\b|\bmight not exist\b`,
    // Must, may not, only: in Russian, Spanish, Portuguese, French, German and Chinese.
    String.raw`(?<!\p{L})(?:должен|должн[аоы]|нельзя|только|debe[ns]?|no puede[ns]?|s[oó]lo|dev(?:e|em)|não pode[m]?|somente|apenas|doi(?:t|vent)|ne peu(?:t|vent)|uniquement|échouent?|ignorée?s?|recalculée?s?|interdite?s?|muss|müssen|d[aü]rf(?:en)? nicht|nur)(?!\p{L})|必须|不能|不得|只能`,
  ].join('|'),
  'iu',
)

/** The words of a bound or a default. Those of a parameter that acts are kept. */
const isBound =
  /\b(?:max(?:imum)?|limited to|up to|at (?:least|most)|(?:no )?more than|fewer than)\b[^.]*\b(?:\d|one\b)|\bdefaults? to\b|\bby default\b|\bbetween \W?-?\d[^.]* and \W?\d|\b(?:less|greater|larger|smaller|lower|higher|longer|shorter) than\b[^.]*\d|\b(?:valid|possible|allowed|accepted|supported) values\b|\bvalues are\b|\bone of\b/iu

/** Says that a listing shows the records of its caller. */
const isOfCaller =
  /\b(?:authenticated|current|logged[- ]?in|calling|signed[- ]?in) (?:user|customer|member|caller|account)\b|\b(?:your|my)\b/iu

/** Signs that a read shows a property in another way than it is stored. */
const isShownOtherwise =
  /\b(?:empty string|not populated|returned instead|masked|redacted|obfuscated|(?:never|not) (?:be )?(?:returned|included|shown)|only (?:be )?(?:returned|shown|visible|included|present|available|provided)|(?:provided|included|present) (?:only )?(?:if|when))\b|\bif\b[^.]*\b(?:not|n't) (?:been )?set\b|\bonly\b[^.]*\bha(?:s|ve)\b|\bwill be\b|\bvalues are\b|\breturns? an empty\b|\b(?:must|can|cannot|can't) (?:contain|have)\b/iu

/** The statuses of refusals whose reason is no credential, no missing record and no media type. */
const isRefusal = /^4(?!0[14]|13|15|29)\d\d$/u
/** The statuses of a body that is not valid, whose text says that. */
const isOfValidity = /^4(?:00|22)$/u
const phrases: ReadonlySet<string> = new Set(Object.values(STATUS_CODES).map((phrase = '') => phrase.toLowerCase()))
const refuses = /\b(?:already|cannot|can't|can not|must|only|too many|at (?:least|most)|missing|without)\b/iu

/** Splits a text at the ends of sentences, tags of HTML and items of lists. Blocks of code are left out. */
const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/```.*?```/gsu, ' ')
    .split(/(?<=[.!;])\s|<[^>]+>|\n\s*\n|\s[-*]\s(?=[`A-Z])/u)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())

type Described = readonly (readonly [name: string, text: string])[]

/** Lists the descriptions of properties, also of those inside. */
const descriptionsIn = (properties: Iterable<readonly [string, JsonObject]>, path = '', depth = 0): Described =>
  [...properties].flatMap(([name, schema]) => [
    [path + name, descriptionOf(schema)] as const,
    ...(depth < 2 ? descriptionsIn(propertiesOf(itemsOf(schema) ?? schema), `${path}${name}.`, depth + 1) : []),
  ])

/**
 * Lists the sentences with rules that are not acted on: of an operation, its parameters, the properties of its body, and those of the records
 * that it shows.
 */
export function rulesInTexts(
  { httpEffects, match, operation, role }: StatefulDecision,
  model: CollectionModel | undefined,
): readonly string[] {
  const acting = match.effects ?? new Map<string, ParameterEffect>()
  const bodies = operation.requestBody?.contents.map(({ schema }) => schema) ?? []
  const rulesIn = (all: Described, tellsRule: (text: string) => boolean): readonly string[] =>
    all.flatMap(([name, text]) => {
      const found = sentencesOf(text).filter(tellsRule)
      return found.map((sentence) => (name === '' ? sentence : `${name}: ${sentence}`))
    })
  const isUnlimited = (text: string): boolean => role === 'list' && isOfCaller.test(text)
  const tells = (text: string): boolean => isRule.test(text) || isBound.test(text)
  // The text of a refusal says when there is one.
  const refusals = operation.responses.flatMap(({ status }) => {
    const text = textOf(responseObject(operation, status)['description']).trim()
    // No path names a record, or none of a parent that is known.
    const isOfParent = status === '404' && (role === 'list' || role === 'create') && !httpEffects.includes('parent')
    // "Recipe or source branch not found".
    const isOfBody = status === '404' && operation.requestBody !== undefined && /\bor\b/iu.test(text)
    const isActedOn = httpEffects.includes('clash') && toldStatus(operation, 409) === Number(status)
    const isTold = isOfValidity.test(status) ? refuses.test(text) : !phrases.has(text.toLowerCase().replace(/\.$/u, ''))
    // No scheme says which credential is missing.
    const isOpen = status === '401' && operation.security.length === 0
    const tellsWhen = (isRefusal.test(status) && isTold) || isOpen
    return text !== '' && (isOfParent || isOfBody || tellsWhen) && !isActedOn ? [text] : []
  })
  const parameters = operation.parameters.map(({ description, name }) => [name, description] as const)
  const inert = parameters.filter(([name]) => !acting.has(name))
  const active = parameters.filter(([name]) => (acting.get(name)?.kind ?? 'fields') !== 'fields')
  const sent = bodies.flatMap((schema) => [
    ['', descriptionOf(schema)] as const,
    ...descriptionsIn(propertiesOf(schema)).filter(([name]) => !match.notStored?.includes(name)),
  ])
  const tellsOfShown = (text: string): boolean =>
    isShownOtherwise.test(text) || (role === 'create' && /\bmust be unique\b/iu.test(text))
  const shown = role !== 'remove' ? descriptionsIn(model?.recordModel.properties ?? [], '', 1) : []
  return [
    ...new Set([
      ...rulesIn([['', operation.text]], (text) => tells(text) || isUnlimited(text)),
      ...rulesIn(inert, tells),
      ...rulesIn(active, (text) => isRule.test(text) && !isBound.test(text)),
      ...rulesIn(sent, tells),
      ...rulesIn(shown, tellsOfShown),
      ...refusals,
    ]),
  ]
}
