/** The credentials of curl commands. */

/**
 * Creates the arguments of curl that send credentials.
 *
 * @param {{ name: string, kind: string, in: string, parameter: string, prefix: string }[]} schemes - As `GET /__admin/collections` lists them.
 * @param {(name: string) => string} tokenOf - Returns the token for a security scheme.
 * @returns {{ flags: string[], query: [string, string][] }} The flags, and the parameters of the query.
 */
export function credentialArguments(schemes, tokenOf) {
  const flags = []
  const query = []
  for (const { in: place, kind, name, parameter, prefix } of schemes) {
    const token = tokenOf(name)
    if (kind === 'basic') flags.push(`-u ${quoted(token.includes(':') ? token : `${token}:`)}`)
    else if (place === 'header')
      flags.push(`-H ${quoted(`${parameter}: ${prefix === '' ? '' : `${prefix} `}${token}`)}`)
    else if (place === 'cookie') flags.push(`-b ${quoted(`${parameter}=${token}`)}`)
    else query.push([parameter, token])
  }
  return { flags, query }
}

/** Quotes an argument for a shell. */
export const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
