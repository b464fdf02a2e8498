/**
 * Redacts the secrets in a body: the values of names that hold credentials in JSON and in a form, then known secrets anywhere. A body that is
 * none of these may hide a secret. If its operation documents one, or the body names one, only its size and media type are kept.
 */
import { essenceOf, isJson } from '../contract/media-types.js'
import { isObject } from '../documents/object.js'
import { countKeys, jsonIn, maxDocumentDepth, measureJson } from '../documents/parse-json.js'
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

/** Redacts the strings and numbers of secret properties and below them. @returns Undefined if the text is not JSON. */
function redactJson({ mayBeSecret, text }: BodyText, isSecret: IsSecretName): string | undefined {
  const { depth, keys } = measureJson(Buffer.from(text))
  const value = depth > maxDocumentDepth ? undefined : jsonIn(text)
  if (value === undefined) return undefined
  // The first of two equal keys may have a secret.
  let isChanged = countKeys(value) !== keys
  const redactValue = (each: unknown, name: string, isInSecret: boolean): unknown => {
    if (typeof each === 'string' || typeof each === 'number') {
      // JSON or a form in a string, for example, names a secret.
      const isPlain = typeof each === 'number' || !namesSecret(each, isSecret, true)
      const isShown = isInSecret ? isCount(each, name) : isPlain
      isChanged ||= !isShown
      return isShown ? each : redacted
    }
    if (Array.isArray(each)) return each.map((item) => redactValue(item, name, isInSecret))
    if (!isObject(each)) return each
    // Where the operation documents a password, a client may have sent it as a name inside of the password's place.
    const hidesKeys = isInSecret && mayBeSecret
    isChanged ||= hidesKeys
    const entries = Object.entries(each).map(([key, inner]) => [
      hidesKeys ? redacted : key,
      redactValue(inner, isInSecret ? name : key, isInSecret || isSecret(key)),
    ])
    return Object.fromEntries(entries)
  }
  // A body that is one value has no name. It may be the secret that the operation documents.
  const shown = redactValue(value, '', mayBeSecret && typeof value !== 'object')
  return isChanged ? JSON.stringify(shown) : text
}

/** Tells whether a value of a secret name is no credential: a number under a name such as `max_tokens` is a count. */
const isCount = (value: number | string, name: string): boolean => typeof value === 'number' && /tokens$/iu.test(name)

/** Redacts a form. @returns Undefined unless the text is percent-encoded as a form is, with a value for each name. */
function redactForm(text: string, isSecret: IsSecretName): string | undefined {
  if (!/^[\w!$%&'()*+,./:;=?@~|[\]-]*$/u.test(text)) return undefined
  const pairs = pairsOf(text, isSecret)
  return pairs.every(({ hasValue }) => hasValue) ? joinPairs(pairs) : undefined
}
