import type { Json } from '../contract/contract.js'
import type { SpecPath } from '../contract/spec-places.js'
import { groupBy, isObject, type JsonObject, listOf, mapValues, objectOf } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import { listNames } from '../error-message.js'
import type { PulledState } from '../pull/pull.js'
import { isSecretName } from '../redaction.js'

export interface ValueDifference {
  readonly path: readonly Segment[]
  /** `missing`: the service lacks the value. `extra`: only the service has it. */
  readonly kind: 'missing' | 'extra' | 'value' | 'type'
  readonly double: Json | undefined
  readonly service: Json | undefined
}

export interface Difference {
  readonly part: 'status' | 'media type' | 'header' | 'body' | 'records' | 'order' | 'schema'
  /** A sentence without a full stop. */
  readonly what: string
  readonly place: SpecPath
  /** The path in the body. Undefined: the difference is not about the body. */
  readonly path?: readonly Segment[]
  /** The path in the body of the service. Default: `path`. */
  readonly servicePath?: readonly Segment[]
  readonly header?: string
  readonly keyword?: string
  /** The property that the id of each record equals. */
  readonly from?: string
  readonly value?: ValueDifference
}

interface ComparisonRules {
  /** Tells whether a value is noise, by its pattern. Noise is not compared. */
  isNoise?(pattern: string): boolean
  /** Tells whether the server generates the value. Then only its type is compared. */
  isMadeUp?(path: readonly Segment[]): boolean
}

/** Writes a path without indexes: `[].title`. */
export const patternOf = (path: readonly Segment[]): string =>
  path
    .map((segment) => (typeof segment === 'number' ? '[]' : `.${segment}`))
    .join('')
    .replace(/^\./u, '')

/** Compares two values. @returns The differences, each at the deepest value that differs. */
export function compareValues(
  double: Json | undefined,
  service: Json | undefined,
  rules: ComparisonRules = {},
  path: readonly Segment[] = [],
): readonly ValueDifference[] {
  if (rules.isNoise?.(patternOf(path))) return []
  if (double === undefined || service === undefined) {
    if (double === service) return []
    return [{ path, kind: double === undefined ? 'extra' : 'missing', double, service }]
  }
  if (typeOf(double) !== typeOf(service)) return [{ path, kind: 'type', double, service }]
  if (isObject(double) && isObject(service)) {
    const names = new Set([...Object.keys(double), ...Object.keys(service)])
    return [...names].flatMap((name) => {
      const [one, other] = [double, service].map((value) => valueAt(value, [name]) as Json | undefined)
      return compareValues(one, other, rules, [...path, name])
    })
  }
  if (rules.isMadeUp?.(path)) return []
  if (Array.isArray(double) && Array.isArray(service)) {
    const length = Math.max(double.length, service.length)
    return Array.from({ length }).flatMap((_, index) =>
      compareValues(double[index] as Json | undefined, service[index] as Json | undefined, rules, [...path, index]),
    )
  }
  // A secret is another one in each service, and no report shows it.
  const isSecret = (): boolean => typeof double === 'string' && isSecretName(String(path.at(-1)))
  return double === service || isSecret() ? [] : [{ path, kind: 'value', double, service }]
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Returns one difference for each pattern and kind. */
export function distinct<V extends ValueDifference>(found: readonly V[]): readonly V[] {
  const byPattern = groupBy(found, ({ kind, path }) => `${patternOf(path)} ${kind}`)
  return [...byPattern.values()].flatMap((group) => group.slice(0, 1))
}

export function valueDifference(value: ValueDifference, place: SpecPath): Difference {
  const name = patternOf(value.path) || 'the body'
  const shown = (json: Json | undefined): string => JSON.stringify(json)?.slice(0, 80) ?? 'nothing'
  const what = {
    extra: `the service sends ${name}, which the double does not`,
    missing: `the service does not send ${name}`,
    type: `${name} is of type ${typeOf(value.service ?? null)} in the service, ${typeOf(value.double ?? null)} in the double`,
    value: `${name} is ${shown(value.service)} in the service, ${shown(value.double)} in the double`,
  }[value.kind]
  return { part: 'body', what, place, path: value.path, value }
}

export const isTimeText = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\S*$/u.test(value)

export type Noise = ReturnType<typeof createNoise>

/** @param saved - What `toJSON` has returned. */
export function createNoise(saved: JsonObject = {}) {
  const setIn = (names: unknown): Set<string> => new Set(listOf(names).map(String))
  /** Patterns of values by operation. The empty name is for requests that belong to no operation. */
  const patterns = new Map(Object.entries(mapValues(objectOf(saved['patterns']), setIn)))
  /** Collections whose records have another order in each read. */
  const unordered = setIn(saved['unordered'])
  /** Collections that gained or lost records although the run did not change them. */
  const changed = setIn(saved['changed'])

  /**
   * Adds the values that differ between two bodies. @param at - The pattern of the place of both values, such as `[].`.
   * @param isChanged - True if the run may have changed the bodies between them. Then only numbers and times are noise, which change by themselves.
   */
  function addBodies(
    operation: string,
    one: Json | undefined,
    other: Json | undefined,
    at = '',
    isChanged = false,
  ): void {
    const known = patterns.get(operation) ?? new Set<string>()
    for (const { double: before, kind, path } of compareValues(one, other))
      if (!isChanged || (kind === 'value' && (typeof before === 'number' || isTimeText(before))))
        patterns.set(operation, known.add(at + patternOf(path)))
  }

  return {
    unordered,
    changed,
    addBodies,
    toJSON: (): JsonObject => ({
      patterns: Object.fromEntries(Array.from(patterns, ([name, its]) => [name, [...its]])),
      unordered: [...unordered],
      changed: [...changed],
    }),
    has: (operation: string, pattern: string): boolean => patterns.get(operation)?.has(pattern) ?? false,
    /** Adds the values that differ between two pulls. @param isChanged - True if the run may have changed records between them. */
    addPulls: (one: PulledState, other: PulledState, isChanged: boolean): void => {
      for (const { caller, records: before, source } of one.listings) {
        const { collection, operation, path } = source
        const again = other.listings.find((each) => each.source.path === path && each.caller?.name === caller?.name)
        if (!again) continue
        const after = again.records
        const common = [...before.keys()].filter((id) => after.has(id))
        if (!isChanged && (common.length < before.size || common.length < after.size)) changed.add(collection.name)
        const inOther = [...after.keys()].filter((id) => before.has(id))
        if (!isChanged && common.join('\n') !== inOther.join('\n')) unordered.add(collection.name)
        for (const id of common)
          addBodies(operation.id, before.get(id) as Json, after.get(id) as Json, '[].', isChanged)
      }
    },
    describe: (): readonly string[] => {
      const found = [...patterns].flatMap(([operation, its]) =>
        [...its].map((pattern) => [operation || 'errors', pattern] as const),
      )
      const values = Array.from(
        groupBy(found, ([, pattern]) => pattern),
        ([pattern, its]) =>
          `${listNames(
            its.map(([name]) => name),
            3,
          )}: ${pattern} changes between equal reads, so it is`,
      )
      const others = [...changed].map((name) => `${name} gained or lost records during the run, so its listings are`)
      return [...values, ...others].map((text) => `${text} not compared.`)
    },
  }
}
