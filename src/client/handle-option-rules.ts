/** The rules of the options of a handle's methods. The control plane checks bounds: its contract has them. */
import type { ConnectOptions, SandboxOptions, WaitOptions } from '../options.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { JournalFilter } from '../sandbox/journal-entry.js'
import type { OptionRules } from '../validate-options.js'
import { describeValue } from '../validate-options.js'

/** The options of `connectDouble`. */
export const connectOptions: OptionRules<keyof ConnectOptions> = { adminToken: { type: 'string', isSecret: true } }

/** The options of `sandbox()`. */
export const sandboxOptions: OptionRules<keyof SandboxOptions> = {
  name: { type: 'string' },
  fixture: { type: 'fixture' },
  expectViolations: { type: 'boolean' },
  now: { type: 'date-time' },
  uniqueTokens: { type: 'boolean' },
}

/** The properties of a fault for `addFault()`. */
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

/** The filter of `requests()`. */
export const filterOptions: OptionRules<keyof JournalFilter> = {
  operation: { type: 'string' },
  status: { type: 'integer' },
  caller: { type: 'string' },
  verdict: { type: 'string', oneOf: ['ok', 'violation'] },
  id: { type: 'string' },
}

/** The options of `waitForRequests()`. */
export const waitOptions: OptionRules<keyof WaitOptions> = {
  ...filterOptions,
  atLeast: { type: 'integer' },
  withinMs: { type: 'integer', unit: 'milliseconds' },
}

/**
 * Checks the base URL of a double.
 *
 * @returns The URL without slashes at the end.
 * @throws {TypeError} It is not an http or https URL, or has a query or a fragment.
 */
export function normalizeUrl(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (typeof url === 'string' && parsed && /^https?:\/\/[^/?#]+[^?#]*$/iu.test(url)) return url.replace(/\/+$/u, '')
  const hint = url === undefined || url === '' ? ' Is the environment variable that holds it set?' : ''
  throw new TypeError(
    `connectDouble: the url must be the address of a double, such as "http://127.0.0.1:4010", got ${describeValue(url)}.${hint}`,
  )
}
