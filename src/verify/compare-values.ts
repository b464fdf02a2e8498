/** Compares two JSON values. */
import type { Json } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'

/** A difference between two values. */
export interface ValueDifference {
  readonly path: readonly Segment[]
  /** `missing`: the service lacks the value. `extra`: only the service has it. */
  readonly kind: 'missing' | 'extra' | 'value' | 'type'
  /** The value of the double. */
  readonly double: Json | undefined
  /** The value of the service. */
  readonly service: Json | undefined
}

/** The parts that a comparison leaves out. */
export interface ComparisonRules {
  /** Tells whether a value is noise, by its pattern. Noise is not compared. */
  isNoise(pattern: string): boolean
  /** Tells whether the server generates the value. Then only its type is compared. */
  isMadeUp(path: readonly Segment[]): boolean
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
  rules: ComparisonRules,
  path: readonly Segment[] = [],
): readonly ValueDifference[] {
  if (rules.isNoise(patternOf(path))) return []
  if (double === undefined || service === undefined) {
    if (double === service) return []
    return [{ path, kind: double === undefined ? 'extra' : 'missing', double, service }]
  }
  if (Array.isArray(double) && Array.isArray(service)) {
    if (rules.isMadeUp(path)) return []
    const length = Math.max(double.length, service.length)
    return Array.from({ length }).flatMap((_, index) =>
      compareValues(double[index] as Json | undefined, service[index] as Json | undefined, rules, [...path, index]),
    )
  }
  if (isObject(double) && isObject(service)) {
    const names = new Set([...Object.keys(double), ...Object.keys(service)])
    return [...names].flatMap((name) => {
      const of = (value: Readonly<Record<string, unknown>>): Json | undefined =>
        Object.hasOwn(value, name) ? (value[name] as Json) : undefined
      return compareValues(of(double), of(service), rules, [...path, name])
    })
  }
  if (typeOf(double) !== typeOf(service)) return [{ path, kind: 'type', double, service }]
  return double === service || rules.isMadeUp(path) ? [] : [{ path, kind: 'value', double, service }]
}

/** Names the JSON type of a value. */
export const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
