import type { TextPart } from '../curl-command.js'
import type { RequestCopy } from './prepare-request-copy.js'

/** Writes the call. Notes come first, as comments. */
export function toFetch({ basic, body, headers, isRedirect, method, notes, url }: RequestCopy): string {
  const isSent = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const fields = [
    ...headers.map(([name, value]) => [name, quote(value)]),
    ...(basic === undefined ? [] : [['authorization', `\`Basic \${btoa(${quote([basic])})}\``]]),
  ]
  const hasContentType = headers.some(([name]) => name === 'content-type')
  const all = [
    ...notes,
    ...(body === undefined || isSent ? [] : [`fetch cannot send a body with ${method}.`]),
    ...(method === 'TRACE' || method === 'CONNECT' ? [`fetch cannot send ${method}.`] : []),
    ...(url.some(hasDots) ? ['fetch resolves the dots in the path.'] : []),
  ]
  return [
    ...all.map((note) => `// ${note}`),
    `const response = await fetch(${quote(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(isRedirect ? [`  redirect: 'manual',`] : []),
    ...(fields.length > 0
      ? ['  headers: {', ...fields.map(([name = '', value]) => `    ${JSON.stringify(name)}: ${value},`), '  },']
      : []),
    // fetch would send the type of a text.
    ...(isSent ? [`  body: ${hasContentType ? quote(body) : `new TextEncoder().encode(${quote(body)})`},`] : []),
    '})',
    '',
  ].join('\n')
}

const hasDots = (part: TextPart): boolean => typeof part === 'string' && /^[^?]*\/\.{1,2}(?:[/?]|$)/u.test(part)

/** Quotes a text for JavaScript: as a string, or as a template if there are variables. */
function quote(parts: readonly TextPart[]): string {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return `process.env.${only.variable}`
  if (parts.every((part) => typeof part === 'string')) return JSON.stringify(parts.join(''))
  const texts = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/[`\\]|\$(?=\{)/gu, String.raw`\$&`)
      : `\${process.env.${part.variable}}`,
  )
  return `\`${texts.join('')}\``
}
