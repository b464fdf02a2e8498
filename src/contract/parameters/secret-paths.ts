/** Finds the path parameters that are secrets, such as that of `/invitations/{token}`, and their values in the paths of any request. */
import type { Operation, SecretPath } from '../contract.js'

/** Lists the path parameters that are secrets. An id or a name of a credential, such as `{tokenId}`, is not a secret. */
export const secretPathParameters = ({ parameters }: Operation): readonly string[] =>
  parameters
    .filter(({ in: place, isSecret, name }) => place === 'path' && isSecret && !/(?:id|name)$/iu.test(name))
    .map(({ name }) => name)

/** Lists the paths before each secret, from their first literal segment. */
export const secretPathsOf = (operations: readonly Operation[]): readonly SecretPath[] =>
  operations.flatMap((operation) =>
    secretPathParameters(operation).map((name) => {
      const [before = ''] = operation.path.toLowerCase().split(`{${name.toLowerCase()}}`)
      const parts = before.split('/').slice(1, -1)
      const segments = parts.map((part) => (part.includes('{') ? undefined : part))
      return segments.slice(
        Math.max(
          0,
          segments.findIndex((segment) => segment !== undefined),
        ),
      )
    }),
  )

/**
 * Finds the segments of a URL behind a secret path, in any case, encoding and number of slashes. Which of them is the secret is not known.
 *
 * @returns The segments as received, each with the slash before it.
 */
export function segmentsAfter(url: string, secretPaths: readonly SecretPath[]): readonly string[] {
  const path = url.split(/[?#]/u, 1)[0] ?? ''
  const segments = [...path.matchAll(/(?:\/|\\|%(?:25)*(?:2f|5c)|^)((?:(?!%(?:25)*(?:2f|5c))[^/\\])+)/giu)]
  const plain = segments.map(([, segment = '']) => decode(segment).toLowerCase())
  const isBehind = (start: number, secretPath: SecretPath): boolean =>
    secretPath.every((segment, index) => segment === undefined || segment === plain[start + index])
  const starts = secretPaths.flatMap((secretPath) => {
    const limit = secretPath.length === 0 ? 1 : plain.length
    const start = plain.findIndex((_, index) => index < limit && isBehind(index, secretPath))
    return start === -1 ? [] : [start + secretPath.length]
  })
  return segments.slice(Math.min(segments.length, ...starts)).map(([whole]) => whole)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment.replaceAll('%25', '%'))
  } catch {
    return segment
  }
}
