/** Returns a function that creates a value on the first call, and returns the same value on each later one. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined
  return () => (created ??= { value: create() }).value
}

/** Adds properties to an object, each of which is created when it is first read. */
export function withLazy<T extends object, Lazy extends object>(
  object: T,
  create: { readonly [Key in keyof Lazy]: () => Lazy[Key] },
): T & Lazy {
  for (const [key, make] of Object.entries<() => unknown>(create))
    Object.defineProperty(object, key, { get: once(make), enumerable: true })
  // The loop has added them.
  return object as T & Lazy
}

/** Like `once`, for each key. @param known - The created values. Default: they are kept as long as the function. */
export function onceFor<Key, T>(
  create: (key: Key) => T,
  known: {
    get(key: Key): { readonly value: T } | undefined
    set(key: Key, created: { readonly value: T }): unknown
  } = new Map<Key, { readonly value: T }>(),
): (key: Key) => T {
  return (key) => {
    const kept = known.get(key)
    if (kept) return kept.value
    const value = create(key)
    known.set(key, { value })
    return value
  }
}

/** Like `onceFor`, for objects: a value is kept as long as its object. */
export const onceForObject = <Key extends WeakKey, T>(create: (key: Key) => T): ((key: Key) => T) =>
  onceFor(create, new WeakMap<Key, { readonly value: T }>())

const maxTexts = 50_000

/** Like `onceFor`, for texts such as names, which a large contract compares a million times. After 50,000 it starts again, because clients send names too. */
export function onceForText<T>(create: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>()
  const find = onceFor(create, known)
  return (text) => {
    if (known.size > maxTexts) known.clear()
    return find(text)
  }
}
