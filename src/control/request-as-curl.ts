/** Writes a request as a curl command for a POSIX shell. */
import type { TextPart, RequestCopy } from './prepare-request-copy.js'

/** Writes the command. Notes come first, as comments. */
export function toCurl({ basic, body, headers: fields, method, notes, url }: RequestCopy): string {
  const headers = fields.map(([name, value]) => [name, value.map(encodedAsUtf8)] as const)
  const hasContentType = headers.some(([name]) => name === 'content-type')
  const words = [
    `curl -g --path-as-is ${quote(url)}`,
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && body === undefined ? [] : [`-X ${method}`]),
    ...(basic === undefined ? [] : [`-u ${quote([basic])}`]),
    // curl leaves out a header field without a value, unless it ends with a semicolon.
    ...headers.map(([name, value]) => `-H ${quote(value.length === 0 ? [`${name};`] : [`${name}: `, ...value])}`),
    // Without this, curl would send the type of a form.
    ...(body !== undefined && !hasContentType ? [`-H 'content-type:'`] : []),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ]
  const all = [
    ...notes,
    ...headers.filter(([, value]) => has(value, '\uFFFD')).map(([name]) => `The header ${name} is not UTF-8 text.`),
    ...(has(body ?? [], '\0') ? ['The request body has NUL characters, which a shell leaves out.'] : []),
  ]
  return [...all.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n') + '\n'
}

/** Reads the bytes of a header field, which Node shows as Latin-1, as UTF-8: a shell sends texts so. */
const encodedAsUtf8 = (part: TextPart): TextPart =>
  typeof part === 'string' ? Buffer.from(part, 'latin1').toString() : part

const has = (parts: readonly TextPart[], text: string): boolean =>
  parts.some((part) => typeof part === 'string' && part.includes(text))

/** Quotes a word for a shell. Variables are in double quotes, so that their values are not split. */
function quote(parts: readonly TextPart[]): string {
  if (parts.every((part) => typeof part !== 'string' || /^[\w :./?&=%+,;@-]*$/u.test(part)) && parts.some(isVariable))
    return `"${parts.map((part) => (typeof part === 'string' ? part : `\${${part.variable}}`)).join('')}"`
  const words = parts.map((part) =>
    typeof part === 'string' ? `'${part.replaceAll("'", String.raw`'\''`)}'` : `"\${${part.variable}}"`,
  )
  return words.join('') || "''"
}

const isVariable = (part: TextPart): boolean => typeof part !== 'string'
