/** Parses integers beyond 2^53. None is rounded across a bound of its schema, so its validation is correct. */
import { once } from '../once.js'
import { objectsIn } from './schemas/read-schema.js'

/** Lists the bounds of a schema, by the direction in which an integer close to the bound is rounded. */
function boundsOf(schema: unknown) {
  /** Inclusive maxima and exclusive minima. Integers above must not be rounded down to them. */
  const roundUp = new Set<unknown>()
  /** Inclusive minima and exclusive maxima. Integers below must not be rounded up to them. */
  const roundDown = new Set<unknown>()
  for (const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } of objectsIn(schema)) {
    roundUp.add(maximum).add(exclusiveMinimum)
    roundDown.add(minimum).add(exclusiveMaximum)
  }
  return { roundUp, roundDown }
}

/** Converts the text of a number. The result is on the same side of every bound of the schema as the written number. */
export const parseNumberWithinBounds = (text: string, schema: unknown) => parseNumber(text, () => boundsOf(schema))

/** @param bounds - Called only for an integer that a JavaScript number cannot represent exactly: to collect the bounds takes long. */
function parseNumber(text: string, bounds: () => ReturnType<typeof boundsOf>): number {
  const nearest = Number(text)
  if (Number.isSafeInteger(nearest) || !Number.isFinite(nearest) || !/^-?\d+$/u.test(text)) return nearest
  const exact = BigInt(text)
  const rounded = BigInt(nearest)
  if (exact === rounded) return nearest
  const below = exact < rounded ? nextTo(nearest, -1) : nearest
  const above = exact < rounded ? nearest : nextTo(nearest, 1)
  const { roundDown, roundUp } = bounds()
  if (roundUp.has(below)) return above
  return roundDown.has(above) ? below : nearest
}

/** Returns the next larger or smaller number. The value must not be 0. */
function nextTo(value: number, direction: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const isAwayFromZero = value > 0 === direction > 0
  view.setBigInt64(0, view.getBigInt64(0) + (isAwayFromZero ? 1n : -1n))
  return view.getFloat64(0)
}

/** Parses JSON, and rounds integers by `parseNumberWithinBounds`. @throws {SyntaxError} If it is not JSON. */
export function parseJsonWithinBounds(text: string, schema: unknown): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/u.test(text)) return value
  const bounds = once(() => boundsOf(schema))
  const rounded = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu, (token) =>
    /^-?\d{16,}$/u.test(token) ? String(BigInt(parseNumber(token, bounds) || 0)) : token,
  )
  return JSON.parse(rounded)
}

/** Formats a bound with all its digits. */
export const formatExactly = (bound: number): string =>
  Number.isInteger(bound) && !Number.isSafeInteger(bound) ? String(BigInt(bound)) : String(bound)
