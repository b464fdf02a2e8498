/** Opens event streams, and reads them. */

/** An open event stream. */
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
  { url }: { readonly url: string },
  options: RequestInit = {},
  query = '',
): Promise<OpenEventStream> {
  const reply = await fetch(`${url}/__admin/events${query}`, options)
  const parts = reply.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]() ?? noParts()
  return { reply, parts }
}

async function* noParts(): AsyncGenerator<string> {}
