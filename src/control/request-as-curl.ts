import type { TextPart } from '../curl-command.js'
import { curlCommand } from '../curl-command.js'
import type { RequestCopy } from './prepare-request-copy.js'

/** Writes the command. Notes come first, as comments. */
export function toCurl({ headers, notes, ...request }: RequestCopy): string {
  const texts = headers.map(([name, value]) => [name, value.map(encodedAsUtf8)] as const)
  const all = [
    ...notes,
    ...texts.filter(([, value]) => has(value, '\uFFFD')).map(([name]) => `The header ${name} is not UTF-8 text.`),
    ...(has(request.body ?? [], '\0') ? ['The request body has NUL characters, which a shell leaves out.'] : []),
  ]
  const words = curlCommand({ ...request, headers: texts }, '-g', '--path-as-is')
  return [...all.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n') + '\n'
}

/** Reads the bytes of a header field, which Node shows as Latin-1, as UTF-8: a shell sends texts so. */
const encodedAsUtf8 = (part: TextPart): TextPart =>
  typeof part === 'string' ? Buffer.from(part, 'latin1').toString() : part

const has = (parts: readonly TextPart[], text: string): boolean =>
  parts.some((part) => typeof part === 'string' && part.includes(text))
