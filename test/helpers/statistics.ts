/** Quantiles of measured values. */

/** Returns a quantile of a list. @param part - From 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Returns the median of a list. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)
