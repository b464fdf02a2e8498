/** The checks of the arguments of a handle's methods. The control plane checks bounds: its contract has them. */
import type { ConnectOptions, SandboxOptions, WaitOptions } from '../options.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { JournalFilter } from '../sandbox/journal-entry.js'
import { describeValue, isPlainObject, type OptionRules } from '../validate-options.js'

export const connectOptions: OptionRules<keyof ConnectOptions> = { adminToken: { type: 'string', isSecret: true } }

export const sandboxOptions: OptionRules<keyof SandboxOptions> = {
  name: { type: 'string' },
  title: { type: 'string' },
  fixture: { type: 'fixture' },
  records: { type: 'integer' },
  seed: { type: 'integer' },
  expectViolations: { type: 'boolean' },
  now: { type: 'date-time' },
  uniqueTokens: { type: 'boolean' },
  vary: { type: 'strings' },
}

export const faultOptions: OptionRules<keyof FaultRequest> = {
  operation: { type: 'string' },
  match: { type: 'object' },
  skip: { type: 'integer' },
  times: { type: 'integer', orWord: 'always' },
  delayMs: { type: 'integer', unit: 'milliseconds' },
  status: { type: 'integer' },
  headers: { type: 'object' },
  body: { type: 'json' },
  disconnect: { type: 'boolean' },
  truncate: { type: 'boolean' },
  chunkDelayMs: { type: 'integer', unit: 'milliseconds' },
}

export const filterOptions: OptionRules<keyof JournalFilter> = {
  operation: { type: 'string' },
  status: { type: 'integer' },
  caller: { type: 'string' },
  verdict: { type: 'string', oneOf: ['ok', 'violation'] },
  id: { type: 'string' },
}

export const waitOptions: OptionRules<keyof WaitOptions> = {
  ...filterOptions,
  atLeast: { type: 'integer' },
  withinMs: { type: 'integer', unit: 'milliseconds' },
}

/** Removes slashes at the end. @throws {TypeError} It is not an http or https URL, or has a query or a fragment. */
export function normalizeUrl(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (typeof url === 'string' && parsed && /^https?:\/\/[^/?#]+[^?#]*$/iu.test(url)) return url.replace(/\/+$/u, '')
  const hint = url === undefined || url === '' ? ' Is the environment variable that holds it set?' : ''
  const rule = 'connectDouble: the url must be the address of a double, such as "http://127.0.0.1:4010"'
  throw new TypeError(`${rule}, got ${describeValue(url)}.${hint}`)
}

/**
 * An object with a `toJSON` method is the value that this method returns.
 * @param call - The called function, for messages.
 * @param name - That of the value, for messages. Undefined: it is the object of the options.
 * @throws {TypeError} The value contains what JSON does not have, such as a function or an instance of a class.
 */
export function serializeArgument(call: string, name: string | undefined, value: unknown): string {
  checkPlain(call, name ?? '', value, [])
  return JSON.stringify(value)
}

function checkPlain(call: string, path: string, value: unknown, parents: readonly unknown[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return
  if (typeof value !== 'object') throw notPlain(call, path, describeValue(value))
  if (parents.includes(value)) throw notPlain(call, path, 'an object that contains itself')
  const inside = [...parents, value]
  if ('toJSON' in value && typeof value.toJSON === 'function') return checkPlain(call, path, value.toJSON(), inside)
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkPlain(call, `${path}[${index}]`, item, inside)
    return
  }
  if (!isPlainObject(value)) throw notPlain(call, path, describeValue(value))
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) checkPlain(call, path === '' ? key : `${path}.${key}`, item, inside)
}

function notPlain(call: string, path: string, got: string): TypeError {
  const place = path === '' ? 'the value' : path
  return new TypeError(
    `${call}: ${place} is ${got}. The double runs in another thread, which takes only what JSON has. Give a plain object, array, string, number, true, false or null instead.`,
  )
}
