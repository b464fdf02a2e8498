/** Says of whatever was thrown why: JavaScript lets anything be thrown. */

/** The message of an error, or what was thrown in its place, as text. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
