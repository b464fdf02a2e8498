/** Writes a request to the control plane as text. The double cannot do it, because its journal does not record these requests. */
import { quoted } from './curl-credentials.js'

const note = 'ADMIN_TOKEN is the admin token.'

/** Writes a curl command. @param {{ url: string, init: RequestInit & { headers: Headers } }} request */
export function asCurl({ init: { body, headers, method }, url }) {
  const words = [
    `curl -g ${quoted(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...[...headers].map(([name, value]) =>
      name === 'authorization' ? '-H "authorization: Bearer ${ADMIN_TOKEN}"' : `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ]
  return `${headers.has('authorization') ? `# ${note}\n` : ''}${words.join(' \\\n  ')}\n`
}

/** Writes a call of `fetch` for Node. */
export function asFetch({ init: { body, headers, method }, url }) {
  const fields = [...headers].map(
    ([name, value]) =>
      `    ${JSON.stringify(name)}: ${name === 'authorization' ? '`Bearer ${process.env.ADMIN_TOKEN}`' : JSON.stringify(value)},`,
  )
  return [
    ...(headers.has('authorization') ? [`// ${note}`] : []),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(fields.length > 0 ? ['  headers: {', ...fields, '  },'] : []),
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
    '})',
    '',
  ].join('\n')
}
