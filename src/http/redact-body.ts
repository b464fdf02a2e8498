/**
 * Redacts the secrets in a body: the values of names that hold credentials in JSON and in a form, then known secrets anywhere. A body that is
 * none of these may hide a secret. If its operation documents one, or the body names one, only its size and media type are kept.
 */
import { essenceOf, isJson } from '../contract/media-types.js'
import { scanJson } from '../documents/scan-json.js'
import { redacted, withheldBody } from '../redaction.js'
import { type IsSecretName, joinPairs, namesSecret, pairsOf, type Redaction } from './redact-request.js'

/** The text of a body. */
interface BodyText {
  readonly text: string
  readonly mediaType: string
  /** True if the text is only the start of the body. It may then end with the start of a secret, which is redacted too. */
  readonly isCut: boolean
  readonly mayBeSecret: boolean
}

/** Redacts a body. @param size - The bytes of the whole body. */
export function redactBody(body: BodyText, size: number, redaction: Redaction): string {
  const named = redactNamed(body, redaction.isSecretName)
  if (named === undefined) return withheldBody(size, essenceOf(body.mediaType))
  // An ellipsis tells the redaction that a secret may be cut.
  return body.isCut ? redaction.text(`${named}…`).replace(/…$/u, '') : redaction.text(named)
}

/** Redacts the values of names that hold credentials. @returns Undefined if the body may have a secret in a place that is not known. */
function redactNamed(body: BodyText, isSecret: IsSecretName): string | undefined {
  const { isCut, mayBeSecret, mediaType, text } = body
  const essence = essenceOf(mediaType)
  // A client may send JSON with any media type, or with none.
  const isStructured = isJson(mediaType) || essence === form || essence === multipart
  if (isJson(mediaType) || /^\s*[{[]/u.test(text)) {
    const json = redactJson(body, isSecret)
    if (json !== undefined) return json
  }
  const decoded = essence === form ? redactForm(text, isSecret) : undefined
  if (decoded !== undefined) return decoded
  const isProse = !isStructured && !isCut && /^text\/|[/+]xml$/u.test(essence)
  return mayBeSecret || namesSecret(text, isSecret, isProse) ? undefined : text
}

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** The start of a token at the end of a text that is cut. */
const cutToken = /^(?:"(?:[^"\\]|\\.)*\\?|[\w+.-]*)$/su

/** Redacts the strings and numbers of secret properties and below them. @returns Undefined if the text is not JSON. */
function redactJson({ isCut, mayBeSecret, text }: BodyText, isSecret: IsSecretName): string | undefined {
  let result = ''
  let kept = 0
  let name = ''
  /** The number of arrays and objects around the secret property that the token is in. */
  let secretDepth: number | undefined
  const replace = (from: number, until: number): void => {
    result += `${text.slice(kept, from)}"${redacted}"`
    kept = until
  }
  const { end, isComplete } = scanJson(text, ({ at, isKey, open, text: token }) => {
    const { length: depth } = open
    if ((isKey || /^[\]}]/u.test(token)) && secretDepth !== undefined && depth <= secretDepth) secretDepth = undefined
    if (isKey) {
      if (secretDepth !== undefined) {
        // Where the operation documents a password, a client may have sent it as a name inside of the password's place.
        if (mayBeSecret) replace(at, at + token.length)
        return
      }
      name = JSON.parse(token) as string
      if (isSecret(name)) secretDepth = depth
      return
    }
    // A body that is one value has no name. It may be the secret that the operation documents.
    const isUnnamed = mayBeSecret && depth === 0
    const isRedacted =
      secretDepth === undefined && !isUnnamed ? isSecretText(token, isSecret) : isSecretValue(token, name)
    if (isRedacted) replace(at, at + token.length)
  })
  const rest = text.slice(end)
  if (!isComplete && !(isCut && cutToken.test(rest))) return undefined
  if (rest !== '' && (secretDepth !== undefined || isSecretText(rest, isSecret))) replace(end, text.length)
  return kept === 0 ? text : result + text.slice(kept)
}

/** Tells whether a token is a string that names a secret: JSON or a form in a string, for example. */
function isSecretText(token: string, isSecret: IsSecretName): boolean {
  if (!token.startsWith('"') || !/[<=:\\]/u.test(token)) return false
  try {
    return namesSecret(JSON.parse(token) as string, isSecret, true)
  } catch {
    // The token is cut.
    return namesSecret(token, isSecret, false)
  }
}

/** Tells whether a value may be a credential. A number under a name such as `max_tokens` is a count. */
const isSecretValue = (token: string, name: string): boolean =>
  /^-?\d/u.test(token) ? !/tokens$/iu.test(name) : token.startsWith('"')

/** Redacts a form. @returns Undefined unless the text is percent-encoded as a form is, with a value for each name. */
function redactForm(text: string, isSecret: IsSecretName): string | undefined {
  if (!/^[\w!$%&'()*+,./:;=?@~|[\]-]*$/u.test(text)) return undefined
  const pairs = pairsOf(text, isSecret)
  return pairs.every(({ hasValue }) => hasValue) ? joinPairs(pairs) : undefined
}
