/** Returns a function that creates a value on the first call, and returns the same value on each later one. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined
  return () => (created ??= { value: create() }).value
}
