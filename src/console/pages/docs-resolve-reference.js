/** Follows references within an OpenAPI document. */

/** Returns the last name in a reference. */
export const nameOfRef = (ref) => unescaped(ref.split('/').at(-1))

/**
 * Follows a reference within a document. A keyword next to the reference replaces that of the target.
 *
 * @returns The target. An empty object if there is none.
 */
export function resolve(document, node) {
  let found = node
  const seen = new Set()
  while (found?.$ref !== undefined && !seen.has(found.$ref)) {
    const { $ref, ...siblings } = found
    seen.add($ref)
    found = { ...lookUp(document, $ref), ...siblings }
  }
  return found ?? {}
}

function lookUp(document, ref) {
  if (!ref.startsWith('#/')) return undefined
  let node = document
  for (const segment of ref.slice(2).split('/')) node = node?.[unescaped(segment)]
  return node
}

/** Decodes a segment of a JSON pointer in a URL fragment. */
const unescaped = (segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
