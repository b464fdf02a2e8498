/** Finds the effects of the query parameters of a listing, by `x-double`, else by names, types and descriptions, and reads their values. */
import type { Operation } from '../../contract/contract.js'
import { findKeyword, isMarked, itemsOf, objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import type { Comparison, EffectKind, ParameterEffect } from '../explanation.js'
import { isSameName, wordsOf } from '../names.js'
import { parameterMeanings, parameterOverrideOf } from '../read-overrides.js'
import type { ResourceRequest } from '../roles/role.js'
import { compareValues, type Filter, type Selection } from './select-page.js'

export interface QueryContext {
  readonly operation: Operation
  /** The properties that may be shown. A filter by another would reveal its value. */
  readonly properties: ReadonlyMap<string, JsonObject>
  readonly idProperty: string
  /** The ways to other pages that a response shows. */
  readonly shows: { readonly cursor: boolean; readonly link: boolean }
  /** Returns the part of a record that is shown. */
  readonly project: (record: JsonObject) => JsonObject
}

/** A parameter, or a property of one that is an object. */
interface Part {
  /** As in a query, such as `page[size]`. */
  readonly name: string
  /** The place of its value in the parsed query. */
  readonly path: readonly string[]
  readonly schema: JsonObject
  readonly description: string
  readonly meant?: ReturnType<typeof parameterOverrideOf>
}

/** An effect, and how values become filters. Undefined filter: every record is selected. */
interface Found {
  readonly effect: ParameterEffect
  readonly filter?: (value: unknown) => Filter | undefined
}

export type ActingPart = Part & Found

/** The effect without which another is none. */
const needs: Readonly<Partial<Record<EffectKind, EffectKind>>> = { page: 'cap', cursor: 'cap', direction: 'sort' }

export function createListQuery(context: QueryContext): {
  /** By parameter. Parameters without an effect are missing. */
  readonly effects: ReadonlyMap<string, ParameterEffect>
  readonly parts: readonly ActingPart[]
  /** Reads a request. The key is equal for requests with the same effect. */
  read(request: ResourceRequest): { readonly key: string; readonly select: () => Selection }
} {
  const effectOf = createEffectFinder(context)
  const found = context.operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => partsOf({ ...parameter, path: [parameter.name], meant: parameterOverrideOf(parameter) }))
    .flatMap((part) => [effectOf(part)].flatMap((each) => (each ? { ...part, ...each } : [])))
  const kinds = new Set(found.map(({ effect }) => effect.kind))
  const parts = found.filter(({ effect: { kind } }) => kinds.has(needs[kind] ?? kind))
  const fallbacks = parts.map((part) => fallbackOf(part, context.operation))
  const effects = new Map<string, ParameterEffect>()
  for (const { effect, name, path } of parts) {
    const group = { kind: 'group', parts: { ...effects.get(path[0] ?? '')?.parts, [name]: effect } } as const
    effects.set(path[0] ?? name, path.length === 1 ? effect : group)
  }
  return {
    effects,
    parts,
    read: ({ query }) => {
      const values = parts.map(({ path }, at) => valueAt(query, path) ?? fallbacks[at] ?? null)
      const asked = parts.flatMap((part, at) => (values[at] === null ? [] : [{ ...part, value: values[at] }]))
      return { key: JSON.stringify(values), select: () => selectionOf(asked, context) }
    },
  }
}

/** Returns the default of a part. That of a filter counts only if a description says that it filters. */
function fallbackOf({ description, filter, name, schema }: ActingPart, { described }: Operation): unknown {
  const value = findKeyword(schema, 'default')
  const isTold = (text: string): boolean => /\bfilter|\bonly\b/iu.test(text)
  const sentences = String(described['description'] ?? '').split(/\.\s/u)
  const isAbout = (text: string): boolean => text.includes(name) || text.includes(String(value))
  return !filter || isTold(description) || sentences.some((text) => isTold(text) && isAbout(text)) ? value : undefined
}

const partsOf = (part: Part): readonly Part[] => {
  const inner = [...(objectSchema(part.schema)?.properties ?? [])]
  if (inner.length === 0) return [part]
  return inner.flatMap(([key, schema]) => {
    const description = String(findKeyword(schema, 'description') ?? '')
    return partsOf({ name: `${part.name}[${key}]`, path: [...part.path, key], schema, description })
  })
}

function selectionOf(asked: readonly (ActingPart & { readonly value: unknown })[], context: QueryContext): Selection {
  const having = (kind: EffectKind): typeof asked => asked.filter(({ effect }) => effect.kind === kind)
  const sum = (kind: EffectKind): number =>
    having(kind).reduce((total, { effect, value }) => total + Math.max(0, Number(value) - (effect.first ?? 0)), 0)
  // A negative value, where the contract allows one, caps nothing.
  const caps = having('cap').flatMap(({ value }) => (Number(value) < 0 ? [] : Math.floor(Number(value))))
  const cap = caps.length > 0 ? Math.min(...caps) : undefined
  const isDescending = having('direction').some(({ value }) => /^desc/iu.test(String(value)))
  const scalars = scalarsIn(context.properties)
  return {
    filters: asked.flatMap(({ filter, value }) => filter?.(value) ?? []),
    order: having('sort').flatMap(({ value }) =>
      textsIn(value).flatMap((text) =>
        [termOf(text, scalars)].flatMap((term) => (term ? { isDescending, ...term } : [])),
      ),
    ),
    skip: sum('skip') + (sum('page') && sum('page') * (cap ?? Infinity)),
    cap,
    cursor: having('cursor')[0],
  }
}

const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(',')).map((text) => text.trim())

/** A scalar of a record or of an object in it, or an array of scalars. */
interface Scalar {
  /** With a dot between the levels. */
  readonly name: string
  readonly schema: JsonObject
  readonly read: (record: JsonObject) => unknown
}

const scalarsIn = (properties: QueryContext['properties'], path: readonly string[] = []): readonly Scalar[] =>
  [...properties].flatMap(([key, schema]): readonly Scalar[] => {
    const at = [...path, key]
    const inner = path.length === 0 ? objectSchema(schema)?.properties : undefined
    if (inner) return scalarsIn(inner, at)
    if (kindOf(schema) === undefined || isMarked(schema, 'writeOnly')) return []
    return [{ name: at.join('.'), schema, read: (record) => valueAt(record, at) }]
  })

/** Returns the type of a scalar, or of each item of an array. An integer is a number. */
const kindOf = (schema: JsonObject): string | undefined =>
  scalarType(itemsOf(schema) ?? schema)?.replace('integer', 'number')

/** Finds a scalar by a name, in which the case and the separators do not count. @param endings - Words that the name may lack. */
const findScalar = (scalars: readonly Scalar[], name: string, endings: readonly string[]): Scalar | undefined =>
  ['', ...endings].flatMap((ending) => scalars.filter((each) => isSameName(each.name, name + ending)))[0]

const timeEndings = ['at', 'on', 'date', 'time']

/** Reads a term such as `name`, `-name`, `name:desc` or `created_asc`, which may be the property `created_at`. */
function termOf(text: string, scalars: readonly Scalar[]): (Partial<Selection['order'][number]> & Scalar) | undefined {
  const [, name = '', direction] = /^(.*?)(?: (asc|desc)(?:ending)?)?$/u.exec(wordsOf(text).join(' ')) ?? []
  const found = findScalar(
    scalars.filter(({ schema }) => scalarType(schema) !== undefined),
    name,
    timeEndings,
  )
  const isDescending = /^\s*-/u.test(text) || direction === 'desc'
  return found && (isDescending || direction ? { ...found, isDescending } : found)
}

/** By the words of a name: `page[size]` and `PageSize` are `page size`. */
const kindsByName: readonly (readonly [RegExp, EffectKind])[] = [
  [/^(?:limit|page ?size|per ?page|size|count|max|max ?results|page limit|first|take|top)$/u, 'cap'],
  [/^(?:offset|skip|start|start ?at|start ?index|page offset)$/u, 'skip'],
  [/^page(?: ?number)?$/u, 'page'],
  [/^(?:(?:page )?(?:cursor|after|before)|(?:page|next) ?token|starting after|ending before)$/u, 'cursor'],
  [/^(?:sort|sort ?by|order ?by|ordering|order)$/u, 'sort'],
  [/^(?:direction|sort ?order|sort ?direction|dir)$/u, 'direction'],
  [/^(?:q|query|search|keyword|filter)$/u, 'search'],
]

/** Signs that a text is more than words to search for. */
const queryLanguage = /https?:|[=<>{}]|\b(?:syntax|expressions?|operators?|qualifiers?|language|SQL|OData|RSQL|CEL)\b/iu
/** Values that select every record, if the parameter lists them or has them as its default and the property does not list them. */
const everyNames: ReadonlySet<unknown> = new Set(['all', 'any', 'none'])
const comparisons: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:(.*) )?(?:after|gt)$/u, 'gt'],
  [/^(?:(.*) )?(?:since|from|gte)$|^min (.*)$/u, 'gte'],
  [/^(?:(.*) )?(?:before|lt)$/u, 'lt'],
  [/^(?:(.*) )?(?:until|to|lte)$|^max (.*)$/u, 'lte'],
]

const valuesOf = (schema: JsonObject): readonly unknown[] => listOf(findKeyword(itemsOf(schema) ?? schema, 'enum'))
const isDate = (schema: JsonObject): boolean => String(findKeyword(schema, 'format')).startsWith('date')

const isAboutTime = ({ description, schema }: Part): boolean =>
  isDate(schema) || /\b(?:dates?|times?|timestamps?)\b/iu.test(description)

/** Tells whether a scalar is a time: by its format, else by its name. */
const isTime = ({ name, schema }: Scalar): boolean =>
  scalarType(schema) === 'string' &&
  (isDate(schema) || (!findKeyword(schema, 'format') && timeEndings.includes(wordsOf(name).at(-1) ?? '')))

function createEffectFinder(context: QueryContext): (part: Part) => Found | undefined {
  const scalars = scalarsIn(context.properties)

  /** Selects by a property, unless the parameter lists values that the property does not have. */
  const selectBy = (
    { description, meant, name, schema }: Part,
    wanted: string,
    endings: readonly string[] = [],
  ): Found | undefined => {
    const isList =
      scalarType(schema) === 'string' && (/\bcomma.(?:separated|delimited)/iu.test(description) || name === 'ids')
    const fitting = scalars.filter((each) => kindOf(each.schema) === kindOf(schema) || isList)
    const found = findScalar(fitting, wanted, endings)
    if (!found) return undefined
    const known = valuesOf(found.schema)
    const listed = valuesOf(schema)
    const isForeign = (value: unknown): boolean => !known.includes(value) && !everyNames.has(value)
    if (meant === undefined && known.length > 0 && listed.some(isForeign)) return undefined
    const named = [...listed, findKeyword(schema, 'default')]
    const every = named.filter((value) => everyNames.has(value) && !known.includes(value))
    const isPlain = context.properties.has(found.name) && scalarType(found.schema) !== undefined && !isList
    return {
      effect: { kind: 'select', property: found.name, ...(every.length > 0 ? { every } : {}) },
      filter: (value) => {
        const values = new Set<unknown>(isList ? textsIn(value) : [value].flat())
        if (every.some((each) => values.has(each))) return undefined
        if (isPlain) return { property: found.name, values }
        return { test: (record) => [found.read(record)].flat().some((own) => values.has(isList ? String(own) : own)) }
      },
    }
  }

  const rangeBy = ({ description, meant, schema }: Part, compare: Comparison, wanted: string): Found | undefined => {
    const isFit = (each: Scalar): boolean =>
      scalarType(each.schema) !== undefined && kindOf(each.schema) === kindOf(schema)
    const found = findScalar(
      scalars.filter((each) => isFit(each) && (kindOf(schema) === 'number' || isTime(each))),
      wanted,
      timeEndings,
    )
    // A description such as "at or after" includes the bound.
    const isOpen =
      compare.length === 2 && !(meant === undefined && /\b(?:at|on|equals?) or\b|\binclusive/iu.test(description))
    const [isLower, isClosed] = [compare.startsWith('g'), !isOpen]
    return (
      found && {
        effect: {
          kind: 'range',
          property: found.name,
          compare: isLower ? (isClosed ? 'gte' : 'gt') : isClosed ? 'lte' : 'lt',
        },
        filter: (value) => ({
          test: (record) => {
            const difference = compareValues(found.read(record), value)
            return (isLower ? difference > 0 : difference < 0) || (isClosed && difference === 0)
          },
        }),
      }
    )
  }

  /** Reads names such as `created_after`, `price[gte]`, `min_price`, and `since` for the only time, or the one that the description names. */
  const rangeNamed = (part: Part, words: string): Found | undefined => {
    const [match, compare] =
      comparisons.flatMap(([pattern, each]) => [[pattern.exec(words), each] as const]).find(([each]) => each) ?? []
    const wanted = match?.[1] ?? match?.[2]
    if (!compare || wanted !== undefined)
      return compare && wanted !== undefined ? rangeBy(part, compare, wanted) : undefined
    if (!/^(?:since|until)$/u.test(words) && !isAboutTime(part)) return undefined
    const times = scalars.filter(isTime).map(({ name }) => name)
    const described = times.filter((name) => wordsOf(part.description).includes(wordsOf(name)[0] ?? ''))
    const [only, another] = described.length === 1 ? described : times
    return only === undefined || another !== undefined ? undefined : rangeBy(part, compare, only)
  }

  const effectOfKind = (kind: EffectKind, part: Part): Found | undefined => {
    const { description, meant, name, schema } = part
    const values = valuesOf(schema)
    const first = findKeyword(schema, 'default') ?? findKeyword(schema, 'minimum')
    if (kind === 'cap' || kind === 'skip' || kind === 'page') {
      if (kindOf(schema) !== 'number')
        return /\b(?:token|cursor)\b/iu.test(description) ? effectOfKind('cursor', part) : undefined
      if (kind === 'page') return { effect: { kind, first: first === 0 ? 0 : 1 } }
      if (kind === 'skip') return { effect: { kind, ...(first === 1 ? { first } : {}) } }
      const maximum = findKeyword(schema, 'maximum')
      return { effect: { kind, ...(typeof maximum === 'number' && maximum < 2 ** 31 - 1 ? { maximum } : {}) } }
    }
    if (kindOf(schema) !== 'string') return undefined
    if (kind === 'cursor') {
      const [direction] = (['after', 'before'] as const).filter((each) => wordsOf(name).at(-1) === each)
      const isId = direction && !context.shows.cursor && /\b(?:[gu]?u?id|identifier)s?\b/iu.test(description)
      if (isAboutTime(part)) return undefined
      if (isId) return { effect: { kind, direction, property: context.idProperty } }
      const isFree = values.length === 0 && !findKeyword(schema, 'format') && !findKeyword(schema, 'pattern')
      const isShown = context.shows.cursor || context.shows.link
      return isFree && isShown ? { effect: { kind, ...(direction ? { direction } : {}) } } : undefined
    }
    if (kind === 'search') {
      const isWords =
        values.length === 0 && scalarType(schema) && (meant !== undefined || !queryLanguage.test(description))
      const filter = (value: unknown): Filter => ({
        test: (record) => hasText(context.project(record), String(value).toLowerCase()),
      })
      return isWords ? { effect: { kind }, filter } : undefined
    }
    const isDirection =
      values.length > 0 ? values.every((value) => /^(?:asc|desc)/iu.test(String(value))) : /\basc/iu.test(description)
    if (kind === 'direction' || (isDirection && meant === undefined))
      return isDirection ? { effect: { kind: 'direction' } } : undefined
    return values.length === 0 || values.some((value) => termOf(String(value), scalars))
      ? { effect: { kind: 'sort' } }
      : undefined
  }

  return (part) => {
    const { meant, name } = part
    if (meant === 'ignore') return undefined
    if (typeof meant === 'object') return rangeBy(part, meant.compare, meant.property)
    if (meant !== undefined) {
      const kind = parameterMeanings[meant]
      return kind ? effectOfKind(kind, part) : selectBy(part, meant)
    }
    const words = wordsOf(name.replace(/^(?:filters?|where)(?=\W)/u, '')).join(' ')
    const kind = kindsByName.find(([pattern]) => pattern.test(words))?.[1]
    return (
      (kind === 'search' ? undefined : selectBy(part, words)) ??
      (kind && effectOfKind(kind, part)) ??
      rangeNamed(part, words) ??
      selectBy(part, words === 'ids' ? context.idProperty : words.replace(/ ids$/u, ' id'), ['id', 'gid', 'uuid'])
    )
  }
}

/** Tells whether a value has a text in one of its strings, at any depth. The case does not count. @param wanted - In lower case. */
const hasText = (value: unknown, wanted: string): boolean =>
  typeof value === 'string'
    ? value.toLowerCase().includes(wanted)
    : typeof value === 'object' && value !== null && Object.values(value).some((inner) => hasText(inner, wanted))
