/**
 * Takes secrets out of text. A secret is found as it is, in either case, percent-encoded (also in part, also twice), JSON-escaped, and
 * inside Base64, whatever stands before it there.
 */

/** Takes secrets out of a text. @returns The same text where there is none. */
export type Redact = (text: string) => string

/** What stands in a secret's place. */
export const redacted = '[redacted]'

/** The shortest secret that is looked for, in characters. A shorter one would be found in ordinary words. */
const minSecretLength = 8

const secretName =
  /(?:^|-)(?:authorization|auth|cookie2?|[a-z]*tokens?|jwt|[a-z]*secret|[a-z]*password|passwd|pwd|passphrase|credentials?|session|[a-z]*sess(?:ion)?-?id|sid|csrf|xsrf|otp|signature|api-?key|access-?key|private-?key)(?:-|$)/u

/** How many names are remembered. Clients choose names, so it is bounded. */
const maxNames = 1000
const secretNames = new Map<string, boolean>()

/** Whether a header field, parameter or property of this name is a credential's place, such as `X-Auth-Token` or `api_key`. */
export function isSecretName(name: string): boolean {
  const known = secretNames.get(name)
  if (known !== undefined) return known
  const words = name.replaceAll(/([a-z\d])([A-Z])/gu, '$1-$2').replaceAll(/[^A-Za-z\d]+/gu, '-')
  const isSecret = secretName.test(words.toLowerCase())
  if (secretNames.size >= maxNames) secretNames.clear()
  secretNames.set(name, isSecret)
  return isSecret
}

/** Makes the redaction of some secrets. Those of fewer than 8 characters are not looked for. */
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
    let left = ''
    let kept = 0
    for (; index !== -1; index = nextStart(plain, index, starts)) {
      const start = index
      const isForm = (length: number): boolean =>
        start + length <= folded.length && forms.has(folded.slice(start, start + length))
      const length = lengths.find(isForm) ?? cutLength(folded, start, forms)
      if (length > 0) {
        left += text.slice(kept, positions?.[index] ?? index) + redacted
        kept = positions?.[index + length] ?? index + length
      }
      index += Math.max(length, 1)
    }
    return kept === 0 ? text : left + text.slice(kept)
  }
}

/** An ellipsis as `decode` writes it. */
const ellipsis = '\u00e2\u0080\u00a6'

/** How much of a secret is left where a message cut a long value. 0 where there is none. */
function cutLength(folded: string, index: number, forms: ReadonlySet<string>): number {
  const end = folded.indexOf(ellipsis, index)
  const start = folded.slice(index, Math.max(end, index))
  if (start.length < minSecretLength) return 0
  for (const form of forms) if (form.startsWith(start)) return start.length
  return 0
}

/** Tables that are right about every place where a secret starts, and wrong about few others. */
interface Starts {
  /** By the code of the first character, 1 where a secret starts with it. */
  readonly firsts: Uint8Array
  /** By slot. Its length is a power of 2. */
  readonly slots: Uint8Array
}

function startsOf(forms: ReadonlySet<string>): Starts {
  const slots = new Uint8Array(2 ** Math.max(12, Math.ceil(Math.log2(forms.size * 16))))
  for (const form of forms) slots[slot(form, 0) & (slots.length - 1)] = 1
  const characters = new Set([...forms].map((form) => form.charCodeAt(0)))
  return { slots, firsts: foldedCodes.map((code) => (characters.has(code) ? 1 : 0)) }
}

/** Finds where a secret may start. @returns -1 where none does. */
function nextStart(plain: string, from: number, { firsts, slots }: Starts): number {
  const last = plain.length - minSecretLength
  const mask = slots.length - 1
  for (let index = from; index <= last; index++)
    if (firsts[plain.charCodeAt(index)] === 1 && slots[slot(plain, index) & mask] === 1) return index
  return -1
}

/** A number that is the same for the same start of a secret. */
function slot(plain: string, index: number): number {
  const first = foldedCodes[plain.charCodeAt(index)] ?? 0
  const fourth = foldedCodes[plain.charCodeAt(index + 3)] ?? 0
  const eighth = foldedCodes[plain.charCodeAt(index + 7)] ?? 0
  return first ^ (fourth << 4) ^ (eighth << 8)
}

/** What a secret looks like in a text that was decoded: as it is, and in Base64 at each of the three places that a byte can have. */
function formsOf(secret: string): string[] {
  const bytes = decode(secret).plain
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.from('\0'.repeat(before) + bytes, 'latin1').toString('base64url')
    // The characters at both ends also hold bits of what stands next to the secret.
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [...new Set([bytes, ...inBase64].map(fold))]
}

/** Makes equal what counts as equal: upper and lower case, and the two alphabets of Base64. */
const fold = (text: string): string => text.toLowerCase().replaceAll('-', '+').replaceAll('_', '/')

const foldedCodes = Uint8Array.from({ length: 256 }, (_, code) => fold(String.fromCharCode(code)).charCodeAt(0))

/** A text in bytes, a character each, without percent-encoding and JSON escapes. */
interface Decoded {
  readonly plain: string
  /** Where each character was in the text, and last the text's length. Undefined where nothing was decoded. */
  readonly positions: readonly number[] | undefined
}

/** `%41`, `%2541`, `\u0041`, `\/`, or a character beyond ASCII. */
const encoded = /%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})|\\+([/"\\])|[^\0-\u007f]/giu

function decode(text: string): Decoded {
  // Without the `u` flag: it only asks whether there is any.
  if (!/[%\\\u0080-\uffff]/.test(text)) return { plain: text, positions: undefined }
  const positions: number[] = []
  let plain = ''
  let end = 0
  const keep = (until: number): void => {
    plain += text.slice(end, until)
    for (; end < until; end++) positions.push(end)
  }
  for (const match of text.matchAll(encoded)) {
    const [whole, percent, unicode, mark] = match
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
