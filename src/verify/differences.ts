/** The types of differences between two responses, and the input of a comparison. */
import type { Json } from '../contract/contract.js'
import type { Segment } from '../documents/pointer.js'
import type { ValueDifference } from './compare-values.js'
import { patternOf, typeOf } from './compare-values.js'
import type { ProbeContext } from './probe-context.js'
import type { SpecPath } from './spec-places.js'

/** One part of two responses that differs. */
export interface Difference {
  readonly part: 'status' | 'media type' | 'header' | 'body' | 'records' | 'order' | 'schema'
  /** A sentence without a full stop. */
  readonly what: string
  /** The place of the spec that the difference is about. */
  readonly place: SpecPath
  /** The path in the body. Undefined: the difference is not about the body. */
  readonly path?: readonly Segment[]
  /** The path in the body of the service. Default: `path`. */
  readonly servicePath?: readonly Segment[]
  /** The name of the header. */
  readonly header?: string
  /** The violated keyword. */
  readonly keyword?: string
  readonly value?: ValueDifference
}

/** The state of a run that comparisons use. */
export interface ComparisonContext {
  readonly probes: ProbeContext
  /** Patterns of noise by operation. */
  readonly noise: ReadonlyMap<string, ReadonlySet<string>>
  /** Collections whose listings change their order without a request that changes them. */
  readonly unordered: ReadonlySet<string>
}

/** The result of a comparison. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** Places that were compared, in addition to the status. */
  readonly tested: readonly SpecPath[]
}

/** The ids of records that a probe created, and the properties that it sent. */
export interface ProbeCreation {
  readonly doubleId: string | undefined
  readonly serviceId: string | undefined
  readonly sent: ReadonlySet<string>
}

/** Returns one difference for each pattern and kind. */
export function distinct<V extends ValueDifference>(found: readonly V[]): readonly V[] {
  const byPattern = new Map<string, V>()
  for (const each of found) {
    const key = `${patternOf(each.path)} ${each.kind}`
    if (!byPattern.has(key)) byPattern.set(key, each)
  }
  return [...byPattern.values()]
}

/** Creates the difference of a value. */
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
