/** Finds header fields that a request repeats. Node's `request.headers` does not show them. */
import type { IncomingMessage } from 'node:http'

/** Tells whether a request has a header field more than once. `request.headers` has only the first. @param name - In lower case. */
export function isHeaderRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index]
    if (field?.length === name.length && field.toLowerCase() === name) times++
  }
  return times > 1
}
