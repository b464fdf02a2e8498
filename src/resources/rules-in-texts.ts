/** Finds the sentences of a contract that tell rules which no schema tells. The double says which it does not check. */
import { STATUS_CODES } from 'node:http'

import { documentedResponse, type Operation, responseObject } from '../contract/contract.js'
import { allowedValues, descriptionOf, itemsOf, propertiesOf } from '../contract/schemas/read-schema.js'
import { toldValues } from '../contract/told-values.js'
import { type JsonObject, objectAt, objectOf, textOf } from '../documents/object.js'
import type { ParameterEffect } from './explanation.js'
import type { CollectionModel } from './infer/collection-model.js'
import { isIdName } from './infer/id-property.js'
import { successResponseOf } from './infer/success-response.js'
import { isSameName, wordsOf } from './names.js'
import { isState } from './roles/fresh-values.js'
import { resets } from './roles/remove.js'
import type { StatefulDecision } from './roles/role.js'

/** Something is computed, or changed before it is stored. */
const isDerived =
  /\bauto|\b(?:mirror|unblock|cascad|re-?(?:calculat|comput|plac|nam)|trigger|populat|increment|decrement|deriv|comput|calculat|convert|normali[sz]|trimm|clamp|merg|mask|redact|obfuscat|snapshot)\w*|\breset\w*\b[^.]*\bdefault\b|\bmatch\w* against\b|\bcase.(?:in)?sensitive\b|\beffective\b|\b(?:set|made|updated|maintained) by\b|\bcombination of\b|\b(?:it equals|same as the)\b|\(\w+ [*+×÷/] \w+/iu

/** A value has no equal. That an id is one says no more than its name. */
const isUnique =
  /\buniek\b|\beindeutig|\búnic[oa]\b|\buniquely\b|\bunique\b(?! (?:[\w-]+ ){0,3}(?:id|identifier|string|key)s?\b)/iu

/** Something is demanded or refused. */
const demands =
  /\b(?:cannot|can't|can not|no way)\b|\b(?:must|should|shall|requires?|required (?:if|when|for|unless)|needs?|either)\b|^\W*required\b|\b(?:fails?|errors?|reject\w*|refus\w*|ignor\w*|restrict\w*|throws?|regardless)\b|\breturns? (?:an? )?[45]\d\d\b/iu

/** The words by which a sentence says more than what a thing is. */
const isRule = new RegExp(
  [
    // It denies, excepts or limits to something.
    String.raw`\b(?:(?<!whether or )not|never|no longer|without|unless|except|only|at least|instead|rather|(?<!all )empty|null|read.?only)\b|n't\b|\bno\b[^.]*\b(?:specified|given|provided|set|sent|is|are)\b`,
    demands.source,
    // It depends on something.
    String.raw`\b(?:if|(?<!time )when(?:ever)?|until|already|otherwise|while|after(?! this)|before(?! this))\b|\b(?:last|past) (?:\d+ |few )?(?:hour|day|week|month|year)s?\b|→|\btransitions?\b`,
    // Something else changes.
    String.raw`\balso\b|\bmark(?:s|ing)?\b|\bsoft.delet|\bupsert|\btruncated\b|\bfor testing\b|\b(?:snake|camel) case\b|\bnew version\b|\bincluding (?:its|the)\b|\bremaining\b|\bwill (?!return)|\b(?:and|with) (?:any|all|its|their)\b|\(and \w+\)|${isDerived.source}`,
    String.raw`\buse [\x60"'][\w-]+[\x60"']`,
    String.raw`\b(?:precedence|means|invalid for|recreate|(?:omit|set) (?:this|it))\b`,
    String.raw`\b(?:in|with) (?:the |an? )?[\x60"']?\w+[\x60"']? (?:status|state)\b`,
    String.raw`\bone (?:default|\w+ per \w+)\b|\bLink\W* header`,
    // Must, may not, only: in Russian, Spanish, Portuguese, French, German and Chinese.
    String.raw`(?<!\p{L})(?:должен|должн[аоы]|нельзя|только|debe[ns]?|no puede[ns]?|s[oó]lo|dev(?:e|em)|não pode[m]?|somente|apenas|doi(?:t|vent)|ne peu(?:t|vent)|uniquement|échouent?|ignorée?s?|recalculée?s?|interdite?s?|muss|müssen|d[aü]rf(?:en)? nicht|nur)(?!\p{L})|必须|不能|不得|只能`,
  ].join('|'),
  'iu',
)

/** The words by which a parameter that acts limits its values, or leads elsewhere. */
const tellsOfValues =
  /\b(?:multiple times|more than once|literal)\b|\b(?:must be|can range) between\b|\b(?:not the|no other)\b|\bLink\W* header|\bsupports?\b|\bmatche[ds]\b|\bYYYY-MM-DD\b|\breturns? (?:an? )?(?:HTTP )?[45]\d\d\b/iu

/** The words of a bound or a default. Those of a parameter that acts are kept. */
const isBound =
  /\bset of \d|\b(?:m(?:ax|in)(?:imum)?|limited to|up to|at (?:least|most)|(?:no )?more than|fewer than)\b\.?[^.]*\b(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)|\bdefaults? to\b|\bby default\b|\bbetween \W?-?\d[^.]* and \W?\d|\b(?:less|greater|larger|smaller|lower|higher|longer|shorter) than\b[^.]*\d|\b(?:valid|possible|allowed|accepted|supported) values\b|\bvalues are\b|\bone of\b/iu

/** Signs of a list in a text without a Latin letter, whose words are not known. */
const isForeignList = /^\P{Script=Latin}*[:[(]\P{Script=Latin}*$/u

/** Leads to further texts. */
const isReference = /^(?:for (?:more|further|details)|see|refer|read more|learn|example)\b|^[^\p{L}\p{N}]*$/iu

/** Says that a listing shows the records of its caller. */
const isOfCaller =
  /\b(?:authenticated|current|logged[- ]?in|calling|signed[- ]?in) (?:user|customer|member|caller|account)\b|\b(?:your|my|mis|meus|minhas|mes|meine)\b|自分|我的|当前|내 |본인|현재|текущ|(?<!\p{L})(?:мои|сво)/iu

/** Signs that a read shows a property in another way than it is stored. */
const isShownOtherwise =
  /\bnull\W? (?:when|if|in case|unless|until|while)\b|\b(?:if|when|during|while) (?:creating|updating|getting|reading|retrieving|listing|GET)\b|\b(?:empty string|omitted|returned only|returned instead|(?:never|not) (?:be )?(?:returned|included|shown)|only (?:be )?(?:returned|shown|visible|included|present|available|provided)|(?:provided|included|present) (?:only )?(?:if|when))\b|\bif\b[^.]*\b(?:not|n't) (?:been )?set\b|\bonly\b[^.]*\bha(?:s|ve)\b|\bwill be\b|\bvalues are\b|\breturns? an empty\b|\b(?:must|can|cannot|can't) (?:contain|have)\b/iu

/** The words by which the text of a refusal tells more than that a request is not valid, or that its path names no record. */
const refuses =
  /\b(?:in|its) (?:the |current )?[`"']?\w+[`"']? (?:state|status)\b|\b(?:already|cannot|can't|can not|must|only|too many|at (?:least|most)|missing|without)\b|\bno\b[^.]*\b(?:defined|given|provided|specified|set|sent|to (?:change|update))\b/iu
const isInvalid =
  /invalid|bad request|malformed|validat|incorrect|wrong|unprocessable|unexpected|not fit|client error/iu
/** The usual phrases of statuses, which say no more than these. */
const phrases: ReadonlySet<string> = new Set(Object.values(STATUS_CODES).map((phrase = '') => phrase.toLowerCase()))

/** Splits a text at the ends of sentences, tags of HTML and items of lists. Blocks of code are left out. */
const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/```.*?```/gsu, ' ')
    .replaceAll(/<\/?(?:a|b|code|em|i|span|strong|u)\b[^>]*>/giu, '')
    .split(
      /(?<=(?<!\b(?:i\.?e|e\.?g|max|min))[.!])\s|<\/?(?:br|dd|dl|dt|div|h\d|hr|li|ol|p|pre|t[a-z]+|ul)\b[^>]*>|\n\s*\n|\s[-*]\s(?=[`A-Z])/u,
    )
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())

/** Words that say nothing of an operation. */
const common =
  /^(?:about|also|been|details?|each|endpoint|existing|from|given|have|into|provided|retriev\w*|returns?|single|specif\w*|that|their|them|this|used|using|which|will|with|your)$/u

type Described = readonly (readonly [name: string, text: string, isLimited?: boolean])[]

/** Lists the descriptions of properties, also of those inside. */
const descriptionsIn = (properties: Iterable<readonly [string, JsonObject]>, path = '', depth = 0): Described =>
  [...properties].flatMap(([name, schema]) => [
    [path + name, descriptionOf(schema), allowedValues(itemsOf(schema) ?? schema).length > 0] as const,
    ...(depth < 2 ? descriptionsIn(propertiesOf(itemsOf(schema) ?? schema), `${path}${name}.`, depth + 1) : []),
  ])

/**
 * Lists the sentences with rules that are not acted on: of an operation, its parameters, the properties of its body, and those of the records
 * that it shows.
 *
 * @param finding - The parameters that name records which the double finds.
 */
export function rulesInTexts(
  { match, operation, role }: StatefulDecision,
  model: CollectionModel | undefined,
  neverSent: readonly string[],
  finding: ReadonlySet<string>,
): readonly string[] {
  const acting = match.effects ?? new Map<string, ParameterEffect>()
  const bodies = operation.requestBody?.contents.map(({ schema }) => schema) ?? []
  const rulesIn = (
    all: Described,
    tellsRule: (text: string, name: string, isLimited?: boolean) => boolean,
  ): readonly string[] =>
    all.flatMap(([name, text, isLimited]) => {
      const found = sentencesOf(text).filter((each) => tellsRule(each, name, isLimited) && !isReference.test(each))
      return found.map((sentence) => (name === '' ? sentence : `${name}: ${sentence}`))
    })
  const isUnlimited = (text: string): boolean => role === 'list' && isOfCaller.test(text)
  const tells = (text: string): boolean => [isRule, isBound, isUnique, isForeignList].some((each) => each.test(text))
  // The summary mostly says what the role does, and the first sentence the same in other words. What follows says more.
  const known = wordsOf(`${operation.summary} ${operation.id} ${operation.path}`).map((word) => word.slice(0, 5))
  const isOther = (word: string): boolean =>
    word.length > 3 && !common.test(word) && !known.some((each) => word.startsWith(each))
  // "Get the public scores", "Creates a booking in Pending state".
  const mayTell = (name: string, schema: JsonObject): boolean =>
    role === 'list' || (/^(?:action|create)$/u.test(role) && isState(name, schema))
  const states = new Set(
    [...(model?.recordModel.properties ?? [])].flatMap(([name, schema]) =>
      mayTell(name, schema) ? allowedValues(schema) : [],
    ),
  )
  // A removed object is its example again, where its read documents no 404.
  const isSeen = (each: Operation): boolean =>
    each.path === operation.path && each.method === 'GET' && documentedResponse(each, 404) === undefined
  const isRemoval = operation.method === 'DELETE' && !resets.test(operation.text)
  const isShownAgain = model?.kind === 'singleton' && isRemoval && model.contract.operations.some(isSeen)
  const own = sentencesOf(operation.text).filter((text, at) => {
    const isOfState = wordsOf(text).some((word) => word !== 'new' && states.has(word))
    const isMore = at > 1 || (at === 1 && operation.summary !== '' && wordsOf(text).filter(isOther).length > 3)
    return (
      (isMore || isOfState || tells(text) || isUnlimited(text) || (isShownAgain && at === 0)) && !isReference.test(text)
    )
  })
  const textOfStatus = (status: string): string => textOf(responseObject(operation, status)['description']).trim()
  // The text of a refusal says when there is one: that of a credential, a media type or a rate is the same for all operations.
  const refusals = operation.responses.flatMap(({ status }) => {
    const text = textOfStatus(status)
    // "Recipe or source branch not found".
    const isOfBody = status === '404' && operation.requestBody !== undefined && /\bor\b/iu.test(text)
    const isOfRequest = operation.requestBody !== undefined || isInvalid.test(text)
    const isTold =
      neverSent.includes(status) || refuses.test(text) || (/^4(?:00|22)$/u.test(status) && !isOfRequest) || isOfBody
    const isNew = isTold && text !== '' && !phrases.has(text.toLowerCase().replace(/\.$/u, ''))
    if (!/^4(?!01|13|15|29)\d\d$/u.test(status)) return []
    // Of several examples, each is of a rule of its own.
    const examples = Object.values(objectAt(responseObject(operation, status), 'content')).flatMap((content) =>
      Object.entries(objectAt(objectOf(content), 'examples')).map(
        ([key, each]) => textOf(objectOf(each)['summary']) || key,
      ),
    )
    const cases = examples.length > 1 && status !== '404' ? examples.map((each) => `${status}: ${each}`) : []
    return isNew ? [`${status}: ${text}`, ...cases] : cases
  })
  // Of several successes, each has a case of its own.
  const successes = operation.responses.flatMap(({ status }) => {
    const text = textOfStatus(status)
    return status.startsWith('2') && text !== '' && !phrases.has(text.toLowerCase()) ? [text] : []
  })
  const parameters = operation.parameters.map(({ description, name }) => [name, description] as const)
  const inert = parameters.filter(([name]) => !acting.has(name))
  const active = parameters.filter(([name]) => (acting.get(name)?.kind ?? 'fields') !== 'fields')
  // `full_name` of records that are found by their `name`, and `user_id` of memberships that are found by their `id` and have it inside.
  const { idProperty = '', parameter } = model ?? {}
  const holdsInside = (name: string): boolean =>
    [...(model?.recordModel.properties.values() ?? [])].some((schema) => propertiesOf(schema).has(name))
  const isOtherName = (name: string): boolean =>
    name === parameter?.name && !isSameName(name, idProperty) && (!isIdName(name) || holdsInside(name))
  // Without the projects, an id and a slug name different ones.
  const named = operation.parameters.flatMap(({ description, in: place, name }) => {
    const isFound = name === parameter?.name ? (model?.aliases.length ?? 0) > 0 : finding.has(name)
    const isEither = place === 'path' && !isFound && /\b(?:id|slug|uuid)\W? or (?:the )?\W?\w/iu.test(description)
    const isSpecial = place === 'path' && /\bspecial value\b|\bconcatenat/iu.test(description)
    return isEither || isSpecial || isOtherName(name) ? [[name, description] as const] : []
  })
  const sent = [
    ['', descriptionOf(objectAt(operation.described, 'requestBody'))] as const,
    ...bodies.flatMap((schema) => [['', descriptionOf(schema)] as const, ...descriptionsIn(propertiesOf(schema))]),
  ]
  const inBody = role === 'list' ? propertiesOf(successResponseOf(operation, '200').json?.schema ?? {}) : []
  const besideRecords = [...inBody].filter(([, schema]) => itemsOf(schema) === undefined)
  // The double acts on the ways to further pages.
  const inEnvelope = descriptionsIn(besideRecords, '', 1).filter(([name]) => !/next|prev/iu.test(name))
  const inRecord = role === 'remove' ? [] : descriptionsIn(model?.recordModel.properties ?? [], '', 1)
  const shown = [...inEnvelope, ...inRecord]
  return [
    ...new Set([
      ...own,
      ...rulesIn(inert, tells),
      ...rulesIn(named, () => true),
      ...rulesIn(active, (text, name) => {
        // A search is in all texts.
        const isOfSome = acting.get(name)?.kind === 'search' && /,|\b(?:and|by|in|or)\b/iu.test(text)
        return isOfSome || tellsOfValues.test(text) || (demands.test(text) && !isBound.test(text))
      }),
      ...rulesIn(sent, (text, name, isLimited = false) => {
        if (match.notStored?.includes(name)) return demands.test(text)
        const isChoice = !isLimited && toldValues(text, name).length > 1
        return tells(text) || isChoice || /\bunique\b/iu.test(text)
      }),
      ...rulesIn(
        shown,
        (text) => isShownOtherwise.test(text) || isDerived.test(text) || (bodies.length > 0 && isUnique.test(text)),
      ),
      ...(successes.length > 1 ? successes : successes.filter(tells)),
      ...refusals,
    ]),
  ]
}
