/** Finds the effects of the query parameters of a listing, and reads their values. */
import type { Operation } from '../../contract/contract.js'
import { descriptionOf, findKeyword, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, listOf, textOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { onceForObject } from '../../once.js'
import type { EffectKind, ParameterEffect } from '../explanation.js'
import { parameterOverrideOf } from '../read-overrides.js'
import { toldDefault } from '../roles/fresh-values.js'
import type { ResourceRequest } from '../roles/role.js'
import { createEffectFinder, type Found, type Part, type QueryContext } from './effect-finder.js'
import { promisedOrder } from './scalars.js'
import type { Selection } from './select-page.js'

type ActingPart = Part & Found
type Sorting = Selection['order'][number]

/** @returns The effects by parameter, without those that have none; the order that the description promises, unless a request sorts; and a function that reads a query. Its key is equal for equal effects. */
export function createListQuery(context: QueryContext) {
  const effectOf = createEffectFinder(context)
  const lines = textOf(context.operation.described['description']).split('\n')
  const described = listOf(context.operation.described['parameters']).filter(isObject)
  const all = context.operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const { name } = parameter
      // Some descriptions of operations have a line for each parameter.
      const example = described.find((each) => each['name'] === name)?.['example']
      const told = [parameter.description, lines.find((line) => line.includes(`\`${name}\`:`))]
      const description = [...told, /[=<>]/u.test(textOf(example)) ? example : ''].join(' ').trim()
      return partsOf({ ...parameter, description, path: [name], meant: parameterOverrideOf(parameter) })
    })
  const found = all.flatMap((part) => [effectOf(part)].flatMap((each) => (each ? { ...part, ...each } : [])))
  const has = (wanted: EffectKind): boolean => found.some(({ effect: { kind } }) => kind === wanted)
  const texts = [context.operation.text, ...all.map(({ description }) => description)].join(' ')
  const perPage =
    /\b(?:maximum of|default is) [`"]?(\d+)[`"]?(?: [\w-]+)+ per (?:request|page)\b|\bper (?:set|page) is (\d+)\b/iu
  const [, most, size] = perPage.exec(texts) ?? []
  const told = most ?? size
  const isLost = ({ effect: { kind, property } }: Found): boolean =>
    kind === 'direction'
      ? !has('sort') && property === undefined
      : (kind === 'page' || kind === 'cursor') && !has('cap') && told === undefined
  const parts = found
    .filter((part) => !isLost(part))
    .map(({ order: own, ...part }) => {
      const sortsAlone = part.effect.kind !== 'direction' || !has('sort')
      return { ...part, ...(own && sortsAlone ? { order: own } : {}) }
    })
  // Without a way to go on, the rest would be out of reach.
  const mostTold = told !== undefined && (['cursor', 'page', 'skip'] as const).some(has) ? Number(told) : undefined
  const rivals = parts.map((part) => parts.filter((other) => other !== part && isOverruled(part, other)))
  const fallbacks = parts.map((part) => fallbackOf(part, context.operation))
  const order = promisedOrder(context.operation, context.properties)
  const effects = new Map<string, ParameterEffect>()
  for (const [at, { effect: own, filter, name, path, schema }] of parts.entries()) {
    const [parameter = name] = path
    const value = findKeyword(schema, 'default')
    const isUnused = filter && (value ?? '') !== '' && fallbacks[at] === undefined && own.every === undefined
    const effect = isUnused ? { ...own, ignored: [`default ${JSON.stringify(value)}`] } : own
    const acting = { ...effects.get(parameter)?.parts, [name]: effect }
    const ignored = all.flatMap((part) => (part.path[0] === parameter && !acting[part.name] ? part.name : []))
    const group = { kind: 'group', parts: acting, ...(ignored.length > 0 ? { ignored } : {}) } as const
    effects.set(parameter, path.length === 1 ? effect : group)
  }
  // A client that repeats its request has the same query each time.
  const read = onceForObject((query: ResourceRequest['query']) => {
    const values = parts.map(({ path }, at) => valueAt(query, path) ?? fallbacks[at] ?? null)
    const select = (): Selection => {
      // A default overrules nothing.
      const isUnused = (at: number): boolean =>
        values[at] === null || rivals[at]?.some(({ path }) => valueAt(query, path) !== undefined) === true
      const asked = parts.flatMap((part, at) => (isUnused(at) ? [] : { ...part, value: values[at] }))
      const selection = selectionOf(asked, order)
      return { ...selection, cap: selection.cap ?? mostTold }
    }
    return { key: JSON.stringify(values), select }
  })
  /** Lists the parameters that should sort by something that records do not have. */
  const unusedIn = (query: ResourceRequest['query']): readonly string[] =>
    parts.flatMap(({ effect, name, order: own, path }) => {
      const value = valueAt(query, path)
      return effect.kind === 'sort' && value !== undefined && own?.(value).length === 0 ? name : []
    })
  return { effects, isInferred: order.length > 0, order, parts, read, unusedIn }
}

/** Tells whether a text says that a parameter has no effect next to another one. */
function isOverruled(part: Part, other: Part): boolean {
  const sentences = part.description
    .split(/\.\s/u)
    .filter((each) => /\bthis\b[^.]*\bignored\b|^\W*ignored\b(?! (?:without|unless)\b)/iu.test(each))
  const [, over = ''] = /\bprecedence over\b([^.]*)/iu.exec(other.description) ?? []
  const names = (text: string, name: string): boolean => text.split(/[^\w[\]-]+/u).includes(name)
  return names(over, part.name) || sentences.some((each) => names(each, other.name))
}

/** Returns the default of a part. That of a filter counts only if a description says that it filters. */
function fallbackOf({ description, effect, filter, name, schema }: ActingPart, { text }: Operation): unknown {
  const [, direction] = /\bdefaults? (?:to|is)[\s:–-]*[`"']?(asc|desc)/iu.exec(description) ?? []
  if (effect.kind === 'direction' && direction !== undefined) return direction
  const value =
    findKeyword(schema, 'default') ??
    (/^(?:cap|sort)$/u.test(effect.kind) ? toldDefault(schema, description) : undefined)
  if (effect.every?.includes(true)) {
    if (/\balso\b|^include\b/iu.test(description)) return value ?? false
    if (/\bwhether to include\b/iu.test(description)) return value
  }
  // A search by default would hide records, and a cap of none shows none.
  if (effect.kind === 'search' || (effect.kind === 'cap' && value === 0)) return undefined
  const isTold = (sentence: string): boolean => /\bfilter|\bonly\b/iu.test(sentence)
  const asText = typeof value === 'string' ? value : JSON.stringify(value)
  const isAbout = (sentence: string): boolean => sentence.includes(name) || sentence.includes(asText)
  const isSaid = text.split('. ').some((sentence) => isTold(sentence) && isAbout(sentence))
  return !filter || isTold(description) || isSaid ? value : undefined
}

const partsOf = (part: Part): readonly Part[] => {
  const inner = [...propertiesOf(part.schema)].map(([key, schema]) => {
    return { name: `${part.name}[${key}]`, path: [...part.path, key], schema, description: descriptionOf(schema) }
  })
  return inner.length === 0 ? [part] : inner.flatMap(partsOf)
}

/** Tells that a cap of 0 is that of the service, or none. */
const toldNoCap =
  /\b(?:(?:set to|value of|use|pass|if) [`"']?(?:0|zero)\b|(?:0|zero)[`"']? (?:means|for|returns|=)(?= ))[^.;]*\b(?:default|server|unlimited|no (?:limit|maximum)|all)\b/iu

function selectionOf(
  asked: readonly (ActingPart & { readonly value: unknown })[],
  promised: readonly Sorting[],
): Selection {
  const having = (kind: EffectKind): typeof asked => asked.filter(({ effect }) => effect.kind === kind)
  const sum = (kind: EffectKind): number =>
    having(kind).reduce((total, { effect, value }) => total + Math.max(0, Number(value) - (effect.first ?? 0)), 0)
  // A negative value, where the contract allows one, caps nothing, nor does a 0 whose text says so.
  const capped = having('cap').filter(
    ({ description, value }) => Number(value) > 0 || (Number(value) === 0 && !toldNoCap.test(description)),
  )
  const caps = capped.flatMap(({ effect: { maximum = Infinity }, value }) => [Number(value), maximum])
  const cap = caps.length > 0 ? Math.floor(Math.min(...caps)) : undefined
  const isReversed = having('direction').some(({ value }) => /^desc/iu.test(String(value)))
  const terms = asked.flatMap(({ order, value }) => order?.(value) ?? [])
  return {
    filters: asked.flatMap(({ filter, value }) => filter?.(value) ?? []),
    order: terms.length > 0 ? terms.map(({ isDescending = isReversed, read }) => ({ isDescending, read })) : promised,
    // A page and an offset are never added.
    page: sum('page'),
    skip: sum('page') > 0 ? sum('page') * (cap ?? Infinity) : sum('skip'),
    cap,
    cursor: having('cursor')[0],
  }
}
