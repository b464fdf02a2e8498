/** It finds a secret in plain text (in any case), percent-encoded (also partly or twice), JSON-escaped, and at any position inside Base64. */

/** Redacts secrets in a text. Returns the same text if there is none. */
export type Redact = (text: string) => string

export const redacted = '[redacted]'

/** Describes a body of which nothing else is kept. @param essence - Its media type. Empty if it is not known. */
export const withheldBody = (size: number, essence: string): string =>
  `[redacted: ${size} bytes${/^[\w.+-]+\/[\w.+-]+$/u.test(essence) ? ` of ${essence}` : ''}]`

/** The parts of a text that replace a secret or a body. */
export const redactedParts = /\[redacted(?:: \d+ bytes(?: of [\w.+-]+\/[\w.+-]+)?)?\]/gu

/** The shortest secret that is redacted, in characters. A shorter one would match in ordinary words. */
export const minSecretLength = 8

const secretName =
  /(?:^|-)(?:authorization|authentication|auth|cookie2?|[a-z]*tokens?|jwt|[a-z]*secret|[a-z]*password|passwd|pwd|passphrase|credentials?|session|[a-z]*sess(?:ion)?-?id|sid|csrf|xsrf|otp|sig|signature|dpop|assertion|saml-?response|code-?verifier|sec-web-?socket-protocol|(?:api|subscription|functions)-?key|access-?key|private-?key)(?:-|$)/u

/** Tells whether a header field, parameter or property of this name holds a credential, such as `X-Auth-Token` or `api_key`; `tokenName` is none. */
export function isSecretName(name: string): boolean {
  // Most names are those of header fields, whose words have hyphens already. To replace nothing takes most of the time.
  const hasHyphens = !/[a-z\d][A-Z]|[^A-Za-z\d-]|--/u.test(name)
  const words = hasHyphens ? name : name.replaceAll(/([a-z\d])([A-Z])/gu, '$1-$2').replaceAll(/[^A-Za-z\d]+/gu, '-')
  return secretName.test(words.toLowerCase()) && !/-name$/iu.test(words)
}

/** Lists the texts in a JSON value that have the name of a secret. @param name - That of the value itself. Default: none. */
export const namedSecretsIn = (value: unknown, name = ''): readonly string[] => {
  if (typeof value === 'string') return isSecretName(name) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => namedSecretsIn(inner, Array.isArray(value) ? name : key))
}

/** Creates a function that redacts secrets. It ignores secrets of fewer than 8 characters. */
export function createRedactor(secrets: Iterable<string>): Redact {
  const forms = new Set([...secrets].filter(({ length }) => length >= minSecretLength).flatMap(formsOf))
  if (forms.size === 0) return (text) => text
  const starts = startsOf(forms)
  const lengths = [...new Set([...forms].map(({ length }) => length))].toSorted((one, other) => other - one)
  return (text) => {
    if (text.length < minSecretLength) return text
    const { plain, positions } = decode(text)
    let index = nextStart(plain, 0, starts)
    if (index === -1) return text
    const folded = fold(plain)
    let result = ''
    let end = 0
    for (; index !== -1; index = nextStart(plain, index, starts)) {
      const start = index
      const isForm = (length: number): boolean =>
        start + length <= folded.length && forms.has(folded.slice(start, start + length))
      const length = lengths.find(isForm) ?? truncatedLength(folded, start, forms)
      if (length > 0) {
        result += text.slice(end, positions?.[index] ?? index) + redacted
        end = positions?.[index + length] ?? index + length
      }
      index += Math.max(length, 1)
    }
    return end === 0 ? text : result + text.slice(end)
  }
}

/** An ellipsis in the output of `decode`. */
const ellipsis = '\u00e2\u0080\u00a6'

/** Finds the start of a secret before an ellipsis, where a message shortens a long value. @returns Its length, or 0. */
function truncatedLength(folded: string, index: number, forms: ReadonlySet<string>): number {
  const end = folded.indexOf(ellipsis, index)
  const start = folded.slice(index, Math.max(end, index))
  if (start.length < minSecretLength) return 0
  for (const form of forms) if (form.startsWith(start)) return start.length
  return 0
}

/**
 * Creates a filter for the positions where a secret may start. It misses none, and has few false positives. `firsts` has 1 by the code of each
 * character that a secret starts with, `hashes` by the hash of each secret; the length of that is a power of 2.
 */
function startsOf(forms: ReadonlySet<string>) {
  const hashes = new Uint8Array(2 ** Math.max(12, Math.ceil(Math.log2(forms.size * 16))))
  for (const form of forms) hashes[hash(form, 0) & (hashes.length - 1)] = 1
  const characters = new Set([...forms].map((form) => form.charCodeAt(0)))
  return { hashes, firsts: foldedCodes.map((code) => (characters.has(code) ? 1 : 0)) }
}

/** Finds the next position where a secret may start. @returns -1 if there is none. */
function nextStart(plain: string, from: number, { firsts, hashes }: ReturnType<typeof startsOf>): number {
  const last = plain.length - minSecretLength
  const mask = hashes.length - 1
  for (let index = from; index <= last; index++)
    if (firsts[plain.charCodeAt(index)] === 1 && hashes[hash(plain, index) & mask] === 1) return index
  return -1
}

/** Hashes the first 8 characters at a position. */
function hash(plain: string, index: number): number {
  const first = foldedCodes[plain.charCodeAt(index)] ?? 0
  const fourth = foldedCodes[plain.charCodeAt(index + 3)] ?? 0
  const eighth = foldedCodes[plain.charCodeAt(index + 7)] ?? 0
  return first ^ (fourth << 4) ^ (eighth << 8)
}

/** Returns the forms of a secret in a decoded text: plain, and in Base64 at each of the three possible byte offsets. */
function formsOf(secret: string): string[] {
  const forms = bytesOf(secret).flatMap((bytes) => {
    const inBase64 = [0, 1, 2].map((offset) => {
      const text = Buffer.from('\0'.repeat(offset) + bytes, 'latin1').toString('base64url')
      // The characters at both ends also encode bits of the neighbouring bytes.
      return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    })
    return [bytes, ...inBase64]
  })
  return [...new Set(forms.map(fold))]
}

/** Returns the bytes of a secret in UTF-8 and in Latin-1, and those of its UTF-8 bytes when they are read as Latin-1, as Node reads header fields. */
function bytesOf(secret: string): readonly string[] {
  const bytes = decode(secret).plain
  if (!/[^\0-\u007f]/u.test(secret)) return [bytes]
  const misread = decode(Buffer.from(secret).toString('latin1')).plain
  return /^[\0-\u00ff]*$/u.test(secret) ? [bytes, misread, secret] : [bytes, misread]
}

/** Normalizes case, the two alphabets of Base64, and the `+` that a form has for a space. */
const fold = (text: string): string => text.toLowerCase().replaceAll(/[- ]/gu, '+').replaceAll('_', '/')

const foldedCodes = Uint8Array.from({ length: 256 }, (_, code) => fold(String.fromCharCode(code)).charCodeAt(0))

/** `%41`, `%2541`, `\u0041`, `\n`, `\/`, or a character beyond ASCII. */
const encoded = /%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})|\\+([bfnrt])|\\+([/"\\])|[^\0-\u007f]/giu

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Returns a text without percent-encoding, JSON escapes and NUL characters. */
export const decodeEscapes = (text: string): string =>
  Buffer.from(decode(text).plain, 'latin1').toString().replaceAll('\0', '')

/**
 * Returns a text without percent-encoding and JSON escapes, one character for each byte; and the position of each character in the original text,
 * then the length of that text. Undefined: the text is unchanged.
 */
function decode(text: string) {
  // Without the `u` flag, which is slower and not needed for a test.
  if (!/[%\\\u0080-\uffff]/.test(text)) return { plain: text, positions: undefined }
  const positions: number[] = []
  let plain = ''
  let end = 0
  const keep = (until: number): void => {
    plain += text.slice(end, until)
    for (; end < until; end++) positions.push(end)
  }
  for (const match of text.matchAll(encoded)) {
    const [whole, percent, unicode, control = '', mark = controls[control.toLowerCase()]] = match
    keep(match.index)
    const character = mark ?? (unicode === undefined ? whole : String.fromCharCode(Number.parseInt(unicode, 16)))
    const bytes =
      percent === undefined
        ? Buffer.from(character).toString('latin1')
        : String.fromCharCode(Number.parseInt(percent, 16))
    plain += bytes
    for (const _ of bytes) positions.push(match.index)
    end = match.index + whole.length
  }
  keep(text.length)
  positions.push(text.length)
  return { plain, positions }
}
