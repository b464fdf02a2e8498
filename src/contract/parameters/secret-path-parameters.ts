/** Finds the path parameters that are secrets, such as that of `/invitations/{token}`. */
import type { Contract, Operation } from '../contract.js'

/**
 * Creates a pattern for each path parameter that is a secret. An id or a name of a credential, such as `{tokenId}`, is not a secret.
 *
 * @param basePaths - The base paths that may precede a path.
 */
export function secretPathsOf(operations: readonly Operation[], basePaths: readonly string[]): Contract['secretPaths'] {
  const prefix = ['', ...basePaths].map(escape).join('|')
  return operations.flatMap(({ parameters, path }) =>
    parameters
      .filter(({ in: place, isSecret, name }) => place === 'path' && isSecret && !/(?:id|name)$/iu.test(name))
      .map(({ name }) => {
        const parts = path.split(/(\{[^{}]*\})/u)
        const pattern = parts.map((part) =>
          part === `{${name}}` ? '([^/]+)' : part.startsWith('{') ? '[^/]+' : escape(part),
        )
        return { path, pattern: new RegExp(`^(?:${prefix})${pattern.join('')}$`, 'u') }
      }),
  )
}

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/]/gu, String.raw`\$&`)
