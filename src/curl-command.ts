/** A part of a text: literal, or the value of an environment variable. */
export type TextPart = string | { readonly variable: string }

export interface CurlRequest {
  readonly method: string
  readonly url: readonly TextPart[]
  readonly headers: readonly (readonly [name: string, value: readonly TextPart[]])[]
  /** The user and the password of Basic, which curl encodes. */
  readonly basic?: TextPart | undefined
  readonly body?: readonly TextPart[] | undefined
}

/** Writes a command. @returns Its options and the URL, each with its value. The first one begins with `curl` and the given flags. */
export function curlCommand({ basic, body, headers, method, url }: CurlRequest, ...flags: string[]): readonly string[] {
  const hasContentType = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const options = [
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && body === undefined ? [] : [`-X ${method}`]),
    ...(basic === undefined ? [] : [`-u ${quote([basic])}`]),
    // curl leaves out a header field without a value, unless it ends with a semicolon.
    ...headers.map(([name, value]) => `-H ${quote(value.length === 0 ? [`${name};`] : [`${name}: `, ...value])}`),
    // Without this, curl would send the type of a form.
    ...(body !== undefined && !hasContentType ? [`-H ${quote(['content-type:'])}`] : []),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ]
  const [first, ...rest] = [...options, quote(url)]
  return [['curl', ...flags, first].join(' '), ...rest]
}

const text = (part: TextPart): string => (typeof part === 'string' ? part : `\${${part.variable}}`)

/** Quotes a word of a command, if it needs quotes. */
export const quoteWord = (word: string): string => quote([word])

/** Quotes a word, if it needs quotes. Double quotes work in every shell, if the text needs no escape; variables are in them, so that their values are not split. */
function quote(parts: readonly TextPart[]): string {
  // Other shells than those of POSIX take a plain word as it is, too.
  if (parts.every((part) => typeof part === 'string' && /^[\w:/.@%+,=-]+$/u.test(part))) return parts.map(text).join('')
  const isSimple = parts.every((part) => typeof part !== 'string' || !/["$`\\!]/u.test(part))
  if (isSimple) return `"${parts.map(text).join('')}"`
  return parts
    .map((part) => (typeof part === 'string' ? `'${part.replaceAll("'", String.raw`'\''`)}'` : `"${text(part)}"`))
    .join('')
}
