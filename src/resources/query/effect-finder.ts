/** Finds the effect of a query parameter of a listing, by `x-double`, else by its name, type and description. */
import type { Operation } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import { findKeyword, isFreeText, itemsOf, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, onlyOf } from '../../documents/object.js'
import type { Comparison, EffectKind, ParameterEffect } from '../explanation.js'
import { isIdName, type PropertySchemas } from '../infer/id-property.js'
import { inWords, isSameName, singularsOf, wordsOf } from '../names.js'
import { parameterMeanings, type parameterOverrideOf } from '../read-overrides.js'
import { timeEndings } from '../roles/fresh-values.js'
import {
  dayOf,
  everyNames,
  findScalar,
  hasText,
  isAboutTime,
  isTime,
  kindOf,
  scalarsIn,
  type Scalar,
  toldMaximum,
  toldToSearch,
  valuesOf,
  textsIn,
  valuesOfEvery,
} from './scalars.js'
import { compareScalars, type Filter, type Selection } from './select-page.js'

export interface QueryContext {
  readonly operation: Operation
  /** The properties that may be shown. A filter by another would reveal its value. */
  readonly properties: PropertySchemas
  readonly idProperty: string
  /** The ways to other pages that a response shows. */
  readonly shows: ReadonlySet<unknown>
  readonly project: (record: JsonObject) => JsonObject
}

/** A parameter, or a property of one that is an object. Its name is that in a query, such as `page[size]`, its path that in a parsed one. */
export interface Part {
  readonly name: string
  readonly path: readonly string[]
  readonly schema: JsonObject
  readonly description: string
  readonly meant?: ReturnType<typeof parameterOverrideOf>
}

/** An effect, and the part of a selection that a value makes. No filter: the value selects every record. */
export interface Found {
  readonly effect: ParameterEffect
  readonly filter?: (value: unknown) => Filter | undefined
  readonly order?: (value: unknown) => readonly Term[]
}

type Term = Pick<Selection['order'][number], 'read'> & { readonly isDescending: boolean | undefined }

/** By the words of a name: `page[size]` and `PageSize` are `page size`. */
const kindsByName: readonly (readonly [RegExp, EffectKind])[] = [
  [
    /^(?:limit|(?:page|display) ?size|(?:items |results )?per ?page|size|count|max|max ?results|page ?limit|first|take|top)$/u,
    'cap',
  ],
  [/^(?:offset|skip|start|start ?at|start ?index|page offset)$/u, 'skip'],
  [/^page(?: ?number)?$/u, 'page'],
  [
    /^(?:from|continue|(?:page )?(?:cursor|after|before)|(?:page|next|continuation) ?token|iterator|starting after|ending before)$/u,
    'cursor',
  ],
  [/^(?:sort|sort ?by|order ?by|ordering|order)$/u, 'sort'],
  [/^(?:direction|sort ?order|sort ?direction|dir)$/u, 'direction'],
  [/^(?:q|query|s|search|keyword|filter|(?:search|filter) ?term)$/u, 'search'],
]

/** Tells that a number is a cap: "how many items to return". */
const toldCap =
  /\b(?:how many|(?:max(?:imum|imal)?|total)? ?number of) (?:[\w-]+ ){0,3}(?:to (?:be )?(?:return|show|retriev|fetch|list|get|includ)\w*|(?:per|in (?:the|a|each)) (?:page|response))\b/iu

const comparisons: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:(.*) )?(?:after|gt)$/u, 'gt'],
  [/^(?:(.*) )?(?:since|from|gte)$|^min (.*)$|^(.+) min$/u, 'gte'],
  [/^(?:(.*) )?(?:before|lt)$/u, 'lt'],
  [/^(?:(.*) )?(?:until|to|lte)$|^max (.*)$|^(.+) max$/u, 'lte'],
]

/** Signs that a text is more than words to search for. */
const queryLanguage =
  /https?:|[=<>{}]|\b(?:syntax|structured|available (?:fields|filters)|expressions?|operators?|qualifiers?|language|SCIM|SQL|OData|RSQL|CEL)\b/iu
/** Signs that the value of a filter is more than a value, or values with commas between them, or no filter. */
const filterLanguage =
  /\b(?:exclu(?:de[ds]?|sion)|negat\w+|prefix(?:ed)? with|prepend\w*|wildcards?|regex\w*|regular expression|include [^.]*\bfields)\b|\bin the format [`"'][^`"':]+:/iu

/** Names of parameters with a part of a text: `username_query`. */
const partNames = /^(.+) (?:query|search|contains|prefix|like)$/u
/** Signs that a part of a text selects. */
const toldPart =
  /\bfree[- ]text\b|\bpartial(?:ly)?\b|\bfuzzy\b|\bsubstring\b|\bstart(?:s|ing)? with\b|\bcontain(?:s|ing)\b|\bcontain this (?:value|text|string)\b|\bsearch(?:es)? by\b/iu
const toldStart = /\bprefix|\b(?:start|begin)(?:s|ning|ing)? with\b/iu

/** Creates a function that finds the effect of a part. @returns Undefined: it has none. */
export function createEffectFinder({ idProperty, operation, project, properties, shows }: QueryContext) {
  const scalars = scalarsIn(properties)
  const things = singularsOf(lastLiteral(operation.path))

  /** Reads a term such as `name`, `-name`, `name:desc` or `created_asc`, which may be the property `created_at`. */
  const termOf = (text: string): Term | [] => {
    const [, name = '', direction] = /^(.*?)(?: (asc|desc)(?:ending)?)?$/u.exec(inWords(text)) ?? []
    const single = scalars.filter(({ schema }) => scalarType(schema) !== undefined)
    const found = findScalar(single, name, timeEndings)
    const isDescending = /^\s*-/u.test(text) || (direction ? direction === 'desc' : undefined)
    return found ? { read: ({ record }) => found.read(record), isDescending } : []
  }

  /** Selects by a property, unless the parameter lists values that the property does not have. */
  const selectBy = (
    { description, meant, name, schema }: Part,
    wanted: string,
    endings?: string[],
  ): Found | undefined => {
    const ofKind = scalars.filter((each) => kindOf(each.schema) === kindOf(schema))
    // An id compares as text with a number.
    const isOtherId = (): boolean => isIdName(wanted) && !findScalar(ofKind, wanted, endings)
    const isList = /\bcomma.(?:sepa|deli)/iu.test(description) || name === 'ids'
    const isText = scalarType(schema) === 'string' && (isList || isOtherId())
    const fitting = isText ? scalars : ofKind
    // `status` may be `pay_run_status`, if both list values.
    const ending = fitting.filter(
      (each) => valuesOf(schema).length > 0 && valuesOf(each.schema).length > 0 && wordsOf(each.name).at(-1) === wanted,
    )
    // `tag` selects by `tags`.
    const isListOf = (each: Scalar): boolean =>
      itemsOf(each.schema) !== undefined && singularsOf(inWords(each.name)).some((one) => isSameName(one, wanted))
    const found = findScalar(fitting, wanted, endings) ?? onlyOf(ending) ?? onlyOf(fitting.filter(isListOf))
    const known = valuesOf(found?.schema ?? {})
    if (meant === undefined && filterLanguage.test(description)) return undefined
    const isForeign = (value: unknown): boolean => !known.includes(value) && !everyNames.has(value)
    if (!found || (meant === undefined && known.length > 0 && valuesOf(schema).some(isForeign))) return undefined
    const hasPart = partNames.test(inWords(name)) || (toldPart.test(description) && known.length === 0)
    if (hasPart && meant === undefined && scalarType(schema) === 'string' && scalarType(found.schema) === 'string')
      return searchIn([found], description)
    const every = valuesOfEvery(schema, description, known)
    const isOfDay = isTime(found) && /\bon this (?:date|day)\b/iu.test(description)
    const isAnyCase = /\bcase.insensitive\b|\bnot case.sensitive\b/iu.test(description)
    const inCase = (each: unknown): unknown => (isAnyCase && typeof each === 'string' ? each.toLowerCase() : each)
    const isAll =
      itemsOf(found.schema) !== undefined &&
      /\b(?:ha(?:s|ve)|includ\w+|contain\w*|match\w*|with) all of (?:the|these|those)\b/iu.test(description)
    const isIndexed = properties.has(found.name) && !itemsOf(found.schema) && !isText && !isTime(found) && !isAnyCase
    const filter = (value: unknown): Filter | undefined => {
      const values = new Set<unknown>(isText ? textsIn(value) : [value].flat().map(isOfDay ? dayOf : inCase))
      if (every.some((each) => values.has(each))) return undefined
      if (every.includes(true)) return { test: (record) => found.read(record) !== true }
      // A flag that a record lacks is not set.
      if (values.has(false)) return { test: (record) => values.has(found.read(record) ?? false) }
      if (isIndexed) return { property: found.name, values }
      // A day selects each time of it.
      const formsOf = (own: unknown): readonly unknown[] =>
        isTime(found) ? [own, dayOf(own)] : [isText ? String(own) : inCase(own)]
      return {
        test: (record) => {
          const own = [found.read(record)].flat().flatMap(formsOf)
          return isAll ? [...values].every((each) => own.includes(each)) : own.some((each) => values.has(each))
        },
      }
    }
    return { effect: { kind: 'select', property: found.name, ...(every.length > 0 ? { every } : {}) }, filter }
  }

  /** @param among - The properties that are searched. Default: all that are shown. */
  const searchIn = (among: readonly Scalar[] | undefined, description: string): Found => {
    const isStart = toldStart.test(description)
    const isOfNumbers = /\bnumeric\b|\bas a number\b/iu.test(description)
    const searched = among?.filter(({ schema }) => isOfNumbers || kindOf(schema) === 'string')
    const filter = (value: unknown): Filter => ({
      test: (record) => {
        const values = searched ? searched.map(({ read }) => read(record)) : project(record)
        const isNumber = isOfNumbers && (among ?? scalars).some(({ read }) => read(record) === Number(value || NaN))
        return isNumber || hasText(values, String(value).toLowerCase(), isStart)
      },
    })
    const effect = { kind: 'search', ...(searched ? { properties: searched.map(({ name }) => name) } : {}) } as const
    return { effect, filter }
  }

  const rangeBy = ({ description, schema }: Part, named: Comparison, wanted: string): Found | undefined => {
    const inclusive = /\b(?:on|at) or (?:after|before)\b|\bno (?:earlier|later) than\b|\bor equal\b|\binclusive\b/iu
    const isExclusive = /\bexclusive\b|\bstrictly\b/iu.test(description)
    const [strict, orOn] = named.startsWith('g') ? (['gt', 'gte'] as const) : (['lt', 'lte'] as const)
    const compare = isExclusive ? strict : inclusive.test(description) ? orOn : named
    const isFit = (each: Scalar): boolean => kindOf(schema) === 'number' || isTime(each)
    const same = scalars.filter(
      (each) => kindOf(each.schema) === kindOf(schema) && !itemsOf(each.schema) && isFit(each),
    )
    const found = findScalar(same, wanted, timeEndings)
    const sign = compare.startsWith('g') ? 1 : -1
    // A parameter may take milliseconds where a record has seconds.
    const toMs = (time: unknown): unknown =>
      typeof time === 'number' && time > 1e9 && time < 1e11 && isOfTime ? time * 1000 : time
    const isOfTime = timeEndings.includes(wordsOf(found?.name ?? '').at(-1) ?? '')
    const filter = (value: unknown): Filter => ({
      test: (record) => {
        const difference = sign * compareScalars(toMs(found?.read(record)), toMs(value))
        return difference > 0 || (difference === 0 && compare.endsWith('e'))
      },
    })
    return found && { effect: { kind: 'range', property: found.name, compare }, filter }
  }

  /** Reads names such as `created_after`, `price[gte]`, `min_price`, and `since` for the only time, or the one that the description names. */
  const rangeNamed = (part: Part, words: string): Found | undefined => {
    const [pattern, compare] = comparisons.find(([each]) => each.test(words)) ?? []
    const [wanted] = pattern?.exec(words)?.slice(1).filter(Boolean) ?? []
    if (!compare || wanted) return compare && wanted ? rangeBy(part, compare, wanted) : undefined
    const times = scalars.filter(isTime).map(({ name }) => name)
    const told = times.filter((name) => wordsOf(part.description).includes(wordsOf(name)[0] ?? ''))
    const [only, another] = told.length === 1 ? told : times
    const isMeant = /^(?:since|until)$/u.test(words) || isAboutTime(part.schema, part.description)
    return only !== undefined && another === undefined && isMeant ? rangeBy(part, compare, only) : undefined
  }

  const pageBy = (kind: EffectKind, { description, meant, name, schema }: Part): ParameterEffect | undefined => {
    const least = findKeyword(schema, 'exclusiveMinimum') === undefined ? findKeyword(schema, 'minimum') : 1
    const first = findKeyword(schema, 'default') ?? least
    const maximum = findKeyword(schema, 'maximum') ?? toldMaximum(description)
    const isNumber = kindOf(schema) === 'number'
    if (kind === 'cap') {
      const isLow = typeof maximum === 'number' && maximum < 2 ** 31 - 1
      return isNumber ? { kind, ...(isLow ? { maximum } : {}) } : undefined
    }
    const based =
      /(?<=\bstart\w* (?:at|from|with) (?:page )?[`"']?)[01]\b|\b(?:[01]|zero|one)(?=[- ](?:based|indexed))/iu
    const told = based.exec(description)?.[0] ?? String(first)
    if (isNumber && kind === 'page') return { kind, first: /^(?:0|zero)$/iu.test(told) ? 0 : 1 }
    if (isNumber && kind === 'skip') return { kind, ...(/^(?:1|one)$/iu.test(told) ? { first: 1 } : {}) }
    const isToken = kind === 'cursor' || /\b(?:token|cursor)\b/iu.test(description)
    const named = (['after', 'before'] as const).find((each) => wordsOf(name).at(-1) === each)
    const isOfNumber = isNumber && kindOf(properties.get(idProperty) ?? {}) === 'number'
    if (isOfNumber && named && /\bid\b/iu.test(description))
      return { kind: 'cursor', direction: named, property: idProperty }
    if (scalarType(schema) !== 'string' || !isToken || isAboutTime(schema, description)) return undefined
    if (name === 'from' && meant === undefined) {
      const isFirst = /\bstart\w*\b[^.]*\bfrom\b[^.]*\bid\b/iu.test(description)
      return isFirst ? { kind: 'cursor', direction: 'after', property: idProperty, isInclusive: true } : undefined
    }
    // `before` may take the `next_cursor` of a list whose newest records come first.
    const direction = /\bnext[_ -]?(?:cursor|token|page)\b/iu.test(description) ? undefined : named
    const idWords =
      shows.has('cursor') || !direction
        ? /\b(?:object id|id cursor)\b|\bid of the (?:last|first)\b|\b(?:after|before) this (?:value|key|name|id)\b/iu
        : /\b(?:[gu]?u?id|identifier)s?\b/iu
    // "An item's token after which a page of results should begin".
    const [, owned = ''] = /\w's (\w+)\b/u.exec(description) ?? []
    const isOfId = idWords.test(description) || (named && isSameName(owned, wordsOf(idProperty).at(-1) ?? ''))
    if (kind === 'cursor' && isOfId)
      return { kind, ...(direction && { direction }), property: properties.has('id') ? 'id' : idProperty }
    const isShown = shows.has('cursor') || shows.has('link')
    return isFreeText(schema) && isShown ? { kind: 'cursor', ...(direction ? { direction } : {}) } : undefined
  }

  const effectOfKind = (kind: EffectKind, part: Part): Found | undefined => {
    const { description, meant, schema } = part
    const values = valuesOf(schema).map(String)
    if (kind === 'search') {
      const isWords = values.length === 0 && (meant !== undefined || !queryLanguage.test(description))
      if (!isWords || scalarType(schema) !== 'string') return undefined
      const { found, ignored = [] } = toldToSearch(description, operation, scalars, idProperty) ?? {}
      const search = searchIn(found, description)
      return ignored.length > 0 ? { ...search, effect: { ...search.effect, ignored } } : search
    }
    if (kind !== 'sort' && kind !== 'direction') {
      const effect = pageBy(kind, part)
      return effect && { effect }
    }
    const isDirection =
      values.length > 0
        ? values.filter((each) => /^(?:a|de)sc/iu.test(each)).length * 2 > values.length
        : /\basc/iu.test(description) && !/\bseparator\b/iu.test(description)
    if (kindOf(schema) !== 'string' || (kind === 'direction' && !isDirection)) return undefined
    if (isDirection && meant === undefined) {
      const [, by = ''] = /\bby (?:the )?[`"']?(\w+)/iu.exec(description) ?? []
      const told = /\bnewest\b|\boldest\b|\bcreation\b/iu.test(description) ? 'created' : by
      const { name: property } = (told && findScalar(scalars, told, timeEndings)) || {}
      const effect = { kind: 'direction', ...(property === undefined ? {} : { property }) } as const
      return { effect, order: () => [termOf(property ?? '')].flat() }
    }
    const order = (value: unknown): readonly Term[] => {
      const terms = textsIn(value).join(',')
      // `name,desc` is one of them.
      return textsIn(terms.replaceAll(/,(?=(?:a|de)sc\b)/giu, ':')).flatMap(termOf)
    }
    const ignored = values.filter((value) => order(value).length === 0)
    const isUsed = values.length === 0 || ignored.length < values.length
    return isUsed ? { effect: { kind, ...(ignored.length > 0 ? { ignored } : {}) }, order } : undefined
  }

  return (part: Part): Found | undefined => {
    const { meant, name } = part
    if (meant === 'ignore') return undefined
    if (typeof meant === 'object') return rangeBy(part, meant.compare, meant.property)
    const spelt = name
      .replace(/^(?:filters?|where)(?=\W)/u, '')
      .replace(/[<>]$/u, (sign) => ` ${sign === '<' ? 'lt' : 'gt'}`)
    const words = inWords(spelt)
    const isCap = kindOf(part.schema) === 'number' && toldCap.test(part.description)
    const named = kindsByName.find(([pattern]) => pattern.test(words))?.[1] ?? (isCap ? 'cap' : undefined)
    const kind = meant === undefined ? named : parameterMeanings[meant]
    if (meant !== undefined) return kind ? effectOfKind(kind, part) : selectBy(part, meant)
    const [, bound] = /^(?:the )?(min|max)imum\b(?! (?:number|amount|results)\b)/iu.exec(part.description) ?? []
    const isBound = bound !== undefined && kindOf(part.schema) === 'number' && kind === undefined
    // `zone` of zones, which is "the name of a zone".
    const isThing = things.some((one) => isSameName(one, words))
    const [, told = words] =
      (isThing && /\b(name|slug|key|code|u?u?id) of (?:a|the) \w+/iu.exec(part.description)) || []
    return (
      (isBound ? rangeBy(part, bound.toLowerCase() === 'min' ? 'gte' : 'lte', words) : undefined) ??
      (kind === 'search' ? undefined : selectBy(part, partNames.exec(words)?.[1] ?? told)) ??
      (kind && effectOfKind(kind, part)) ??
      rangeNamed(part, words) ??
      selectBy(part, words === 'ids' ? (properties.has('id') ? 'id' : idProperty) : words.replace(/ ids$/u, ' id'), [
        'id',
        'gid',
        'uuid',
      ])
    )
  }
}
