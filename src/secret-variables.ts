/** Secrets that a user gives as the name of an environment variable, so that no command line, file or process list has them. */
import { environmentVariable } from './node-process.js'

/** Reads a flag such as `x-api-key: env:GATEWAY_KEY`. @param flag - Without the dashes. @returns The name in lower case. @throws {TypeError} It is not valid, or the variable is not set. */
export function readHeaderVariable(flag: string, text: string) {
  const rule = `--${flag} must be a name and an environment variable, such as "x-api-key: env:GATEWAY_KEY".`
  const { name, ...secret } = readSecretVariable(flag, text, /^([\w!#$%&'*+.^`|~-]+): *env:(\w+)$/u, rule)
  return { name: name.toLowerCase(), ...secret }
}

/** @param rule - The message for a wrong text, which may be a token. @throws {TypeError} Also without a variable. */
export function readSecretVariable(flag: string, text: string, pattern: RegExp, rule: string, names = /./u) {
  const [, name = '', variable] = pattern.exec(text) ?? []
  if (variable === undefined || !names.test(name)) throw new TypeError(rule)
  const value = environmentVariable(variable)
  if (value === undefined) throw new TypeError(`--${flag}: the environment variable ${variable} is not set.`)
  if (!/^[\t\u0020-\u007e]+$/u.test(value))
    throw new TypeError(`--${flag}: the environment variable ${variable} has characters that a header cannot have.`)
  return { name, variable, value }
}
