/** A violation of the contract, in the format of Prism's violations. */
export interface Violation {
  /** The location: `request` or `response`, then the path inside, such as `['request', 'query', 'limit']`. */
  readonly location: readonly string[]
  /** `Error`: the contract does not allow it. `Warning`: it is probably a mistake, and is served. */
  readonly severity: 'Error' | 'Warning'
  /** The violated rule (`pattern`, `undocumented`) or a status (`401`). */
  readonly code: string | number
  /** One sentence: the problem and the expected value. */
  readonly message: string
}

export const brokenRule = (
  severity: Violation['severity'],
  location: readonly string[],
  code: string | number,
  message: string,
): Violation => ({ location, severity, code, message })
