import type { ExecutionContext } from 'ava'

import type { Served } from './double.js'

export interface OpenEventStream {
  readonly reply: Response
  /** The text of the stream, in the parts in which it arrives. */
  readonly parts: AsyncIterableIterator<string>
}

/**
 * Opens an event stream of the control plane.
 *
 * Locks the body at once: Node cancels the body of a response that is garbage-collected before it is read.
 *
 * @param query - With its question mark. Default: none.
 */
export async function openEventStream(
  { url }: Served,
  options: RequestInit = {},
  query = '',
): Promise<OpenEventStream> {
  const reply = await fetch(`${url}/__admin/events${query}`, options)
  const parts = reply.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]() ?? noParts()
  return { reply, parts }
}

async function* noParts(): AsyncGenerator<string> {}

/** Reads the events of a double until the test ends. @returns A function that returns all events so far. */
export async function followAsText(t: ExecutionContext, double: Served, query = ''): Promise<() => string> {
  const leaving = new AbortController()
  const { parts } = await openEventStream(double, { signal: leaving.signal }, query)
  let text = ''
  const reading = (async () => {
    for await (const part of parts) text += part
  })().catch(() => {})
  t.teardown(async () => {
    leaving.abort()
    await reading
  })
  return () => text
}
