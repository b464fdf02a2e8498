/** Reads the message of a thrown value: JavaScript can throw values that are not errors. */

/** Returns the message of an error, or any other thrown value as text. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
