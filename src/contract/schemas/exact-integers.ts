/**
 * Integers beyond 2^53, which a JavaScript number does not hold exactly. Where rounding would carry one across a bound of its schema, it is
 * rounded to the other side; so a check of the number is a check of what was written.
 */
import { isObject } from '../../documents/object.js'

/** The bounds of a schema, by the way a value next to them has to be rounded. */
export interface Bounds {
  /** Inclusive maxima and exclusive minima: what lies above them must not be rounded down to them. */
  readonly roundUp: ReadonlySet<number>
  /** Inclusive minima and exclusive maxima. */
  readonly roundDown: ReadonlySet<number>
}

const boundsBySchema = new WeakMap<object, Bounds>()

/** Finds the bounds of a schema and of the schemas in it. */
export function boundsOf(schema: unknown): Bounds {
  const known = isObject(schema) ? boundsBySchema.get(schema) : undefined
  if (known) return known
  const bounds = { roundUp: new Set<number>(), roundDown: new Set<number>() }
  collect(schema, bounds, new Set())
  if (isObject(schema)) boundsBySchema.set(schema, bounds)
  return bounds
}

function collect(value: unknown, into: { roundUp: Set<number>; roundDown: Set<number> }, seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const child of Object.values(value)) collect(child, into, seen)
  if (!isObject(value)) return
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = value
  if (typeof maximum === 'number') into.roundUp.add(maximum)
  if (typeof minimum === 'number') into.roundDown.add(minimum)
  if (typeof exclusiveMaximum === 'number') into.roundDown.add(exclusiveMaximum)
  if (typeof exclusiveMinimum === 'number') into.roundUp.add(exclusiveMinimum)
}

/** Converts the text of a number, so that it is on the same side of every bound as what was written. */
export function toNumber(text: string, bounds: Bounds): number {
  const nearest = Number(text)
  if (Number.isSafeInteger(nearest) || !Number.isFinite(nearest) || !/^-?\d+$/u.test(text)) return nearest
  const exact = BigInt(text)
  const rounded = BigInt(nearest)
  if (exact === rounded) return nearest
  const below = exact < rounded ? nextTo(nearest, -1) : nearest
  const above = exact < rounded ? nearest : nextTo(nearest, 1)
  if (bounds.roundUp.has(below)) return above
  return bounds.roundDown.has(above) ? below : nearest
}

/** The number next to one that is no zero. */
function nextTo(value: number, direction: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const away = value > 0 === direction > 0
  view.setBigInt64(0, view.getBigInt64(0) + (away ? 1n : -1n))
  return view.getFloat64(0)
}

/** Parses JSON. @throws {SyntaxError} It is none. */
export function parseJsonExactly(text: string, bounds: Bounds): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/u.test(text)) return value
  const rounded = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu, (token) =>
    /^-?\d{16,}$/u.test(token) ? String(BigInt(toNumber(token, bounds) || 0)) : token,
  )
  return JSON.parse(rounded)
}

/** Writes a bound out in full. */
export const writeExactly = (bound: number): string =>
  Number.isInteger(bound) && !Number.isSafeInteger(bound) ? String(BigInt(bound)) : String(bound)
