import type { Json } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { SpecPath } from './spec-places.js'

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
      const of = (value: Readonly<Record<string, unknown>>): Json | undefined =>
        Object.hasOwn(value, name) ? (value[name] as Json) : undefined
      return compareValues(of(double), of(service), rules, [...path, name])
    })
  }
  if (rules.isMadeUp?.(path)) return []
  if (Array.isArray(double) && Array.isArray(service)) {
    const length = Math.max(double.length, service.length)
    return Array.from({ length }).flatMap((_, index) =>
      compareValues(double[index] as Json | undefined, service[index] as Json | undefined, rules, [...path, index]),
    )
  }
  return double === service ? [] : [{ path, kind: 'value', double, service }]
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Returns one difference for each pattern and kind. */
export function distinct<V extends ValueDifference>(found: readonly V[]): readonly V[] {
  const byPattern = new Map<string, V>()
  for (const each of found) {
    const key = `${patternOf(each.path)} ${each.kind}`
    if (!byPattern.has(key)) byPattern.set(key, each)
  }
  return [...byPattern.values()]
}

export function valueDifference(value: ValueDifference, place: SpecPath): Difference {
  const name = patternOf(value.path)
  const shown = (json: Json | undefined): string => JSON.stringify(json)?.slice(0, 80) ?? 'nothing'
  const what = {
    extra: `the service sends ${name}, which the double does not`,
    missing: `the service does not send ${name}`,
    type: `${name} is of type ${typeOf(value.service ?? null)} in the service, ${typeOf(value.double ?? null)} in the double`,
    value: `${name} is ${shown(value.service)} in the service, ${shown(value.double)} in the double`,
  }[value.kind]
  return { part: 'body', what, place, path: value.path, value }
}
