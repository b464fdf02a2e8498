/** Redacts the secrets in the text of a body: the values of names that hold credentials, then known secrets anywhere. */
import { essenceOf, isJson } from '../contract/bodies/media-types.js'
import { redacted } from '../redaction.js'
import type { IsSecretName } from './find-secrets.js'
import type { Redaction } from './redact-request.js'

/**
 * Redacts a body.
 *
 * @param mediaType - Empty if it is not known.
 * @param isCut - True if the text is only the start of the body. It may then end with the start of a secret, which is redacted too.
 */
export function redactBody(text: string, mediaType: string, isCut: boolean, redaction: Redaction): string {
  const named = redactNamed(text, mediaType, redaction)
  // An ellipsis tells the redaction that a secret may be cut.
  return isCut ? redaction.text(`${named}…`).replace(/…$/u, '') : redaction.text(named)
}

/** Redacts the values of names that hold credentials. */
function redactNamed(text: string, mediaType: string, redaction: Redaction): string {
  const { isSecretName } = redaction
  const essence = essenceOf(mediaType)
  // A client may send a wrong media type, or none. So the start of the text decides before the media type does.
  if (/^\s*[{[]/u.test(text)) return redactJson(text, isSecretName)
  if (/^\s*--/u.test(text)) return redactParts(text, isSecretName)
  if (/^[^\s"<=]+=/u.test(text) || essence === 'application/x-www-form-urlencoded') return redaction.pairs(text)
  if (essence === 'multipart/form-data') return redactParts(text, isSecretName)
  return isJson(mediaType) ? redactJson(text, isSecretName) : redactElements(text, isSecretName)
}

/** A bracket or brace; or a string, which may be cut, or another value, with the colon that follows a name. */
const jsonToken = /[{}[\]]|("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s"{}[\]:,]+)(\s*:)?/gsu

/** Redacts the strings and numbers of secret properties and below them, in JSON that may be cut or malformed. */
function redactJson(text: string, isSecretName: IsSecretName): string {
  let result = ''
  let end = 0
  let depth = 0
  /** The depth of the secret property that the token is in. */
  let secretDepth: number | undefined
  let name = ''
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(jsonToken)) {
    if (colon !== undefined) {
      name = unquote(string ?? '')
      if (secretDepth === depth) secretDepth = undefined
      if (secretDepth === undefined && isSecretName(name)) secretDepth = depth
    } else if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') {
      depth--
      if (secretDepth !== undefined && secretDepth > depth) secretDepth = undefined
    } else if (secretDepth !== undefined && isSecretValue(token, name)) {
      result += `${text.slice(end, index)}"${redacted}"`
      end = index + token.length
    }
  }
  return end === 0 ? text : result + text.slice(end)
}

/** Tells whether a value may be a credential. A number under a plural name, such as `max_tokens`, is a count. */
const isSecretValue = (token: string, name: string): boolean =>
  /^-?\d/u.test(token) ? !/s$/iu.test(name) : !/^(?:true|false|null)$/u.test(token)

function unquote(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.replaceAll(/^["']|["']$/gu, '')
  }
}

/** Redacts the parts of a multipart form. */
const redactParts = (text: string, isSecretName: IsSecretName): string =>
  text.replaceAll(
    /(\bname="?([^";\r\n]*)"?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)(.*?)(?=\r?\n--|$)/gsu,
    (part, head: string, name: string) => (isSecretName(name) ? head + redacted : part),
  )

/** Redacts the elements of XML. */
const redactElements = (text: string, isSecretName: IsSecretName): string =>
  text.replaceAll(/<([\w.:-]+)([^<>]*)>([^<]+)/gu, (element, name: string, attributes: string) =>
    isSecretName(name) ? `<${name}${attributes}>${redacted}` : element,
  )
