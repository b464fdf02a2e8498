/** The error of a request without a response: nothing listens at the address, or the thread of the double has ended. */
export class NoResponseError extends TypeError {}
