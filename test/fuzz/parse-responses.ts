/** Parses responses from the bytes of a connection, and refuses all other bytes. */

export interface WireReply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Bytes that are not a response. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError'
}

/**
 * Reads the complete responses at the start of the bytes.
 *
 * @param methods - Of the requests, in their order: a response to HEAD has no body.
 * @throws {NoReplyError}
 */
export function readReplies(
  bytes: Buffer,
  methods: readonly string[],
): { readonly replies: readonly WireReply[]; readonly rest: Buffer } {
  const replies: WireReply[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { replies, rest }
    const { headers, status } = readHead(rest.toString('latin1', 0, end))
    const start = end + 4
    if (status < 200) {
      rest = rest.subarray(start)
      continue
    }
    const isBodiless = methods[replies.length] === 'HEAD' || status === 204 || status === 304
    if (!isBodiless && !/^\d+$/u.test(headers['content-length'] ?? ''))
      throw new NoReplyError(`a ${status} without a length: ${JSON.stringify(headers)}`)
    const after = start + (isBodiless ? 0 : Number(headers['content-length']))
    if (rest.length < after) return { replies, rest }
    replies.push({ status, headers, text: rest.toString('utf8', start, after) })
    rest = rest.subarray(after)
  }
}

function readHead(text: string): { status: number; headers: Record<string, string> } {
  const [line = '', ...fields] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/u.exec(line)?.[1])
  if (Number.isNaN(status)) throw new NoReplyError(`no status line: ${JSON.stringify(line.slice(0, 200))}`)
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/u.exec(field) ?? []
    if (name === undefined || value === undefined) throw new NoReplyError(`no header field: ${JSON.stringify(field)}`)
    const key = name.toLowerCase()
    if (Object.hasOwn(headers, key)) throw new NoReplyError(`${key} twice`)
    headers[key] = value
  }
  return { status, headers }
}
