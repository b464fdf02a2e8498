export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Describes an error for the log: with its stack, which an error of the table in `http-errors.ts` does not need. */
export const describeFailure = (error: unknown): string =>
  error instanceof Error && error.name !== 'DoubleError' && error.stack !== undefined
    ? error.stack
    : errorMessage(error)

/** Lists the first names, and the number of the others. */
export const listNames = (names: readonly string[], most: number): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`

/** Writes a number with its noun, such as `1 problem`, `2 problems`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Says by its evidence what a response rests on. */
export const describedEvidence = {
  agrees: 'rests on evidence',
  none: 'rests on the contract only',
  differs: 'contradicts evidence',
} as const

/** Runs a function. @returns Undefined: it has thrown an error. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Returns the code of an error of Node, such as `ENOENT`. Empty if there is none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
