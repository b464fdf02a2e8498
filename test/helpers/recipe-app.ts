/** The app of the README's Playwright recipe: a page of another origin, with a fixed API base URL. */
import { createServer } from 'node:http'

import type { ExecutionContext } from 'ava'

import { listenUntilEnd } from './port.js'

/** The page: it lists insights, deletes them, and shows errors. Its query is that of the listing. */
const page = (api: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"></head>
<body>
<ul></ul>
<p role="status"></p>
<script type="module">
const headers = { authorization: 'Bearer ada-token', accept: 'application/json' }
const status = document.querySelector('[role=status]')
async function list() {
  const reply = await fetch('${api}/insights' + location.search, { headers })
  const body = await reply.json()
  if (!reply.ok) {
    const told = ['x-error-code', 'x-request-id', 'sl-violations', 'www-authenticate'].map((name) => [name, reply.headers.get(name)])
    status.textContent = JSON.stringify({ status: reply.status, body, headers: Object.fromEntries(told) })
    return
  }
  document.querySelector('ul').replaceChildren(...body.map(item))
  status.textContent = body.length + ' insights'
}
function item({ id, content }) {
  const button = document.createElement('button')
  button.textContent = 'Delete'
  button.addEventListener('click', async () => {
    const reply = await fetch('${api}/insights/' + id, { method: 'DELETE', headers })
    if (reply.ok) await list()
    else status.textContent = JSON.stringify({ status: reply.status, body: await reply.json() })
  })
  const line = document.createElement('li')
  line.id = id
  line.append(content, ' ', button)
  return line
}
await list()
</script>
</body>
</html>
`

/** Serves the app on a free port. @param api - Its API base URL. @returns The URL of the page. */
export const serveApp = (t: ExecutionContext, api: string): Promise<string> => servePage(t, page(api))

/** Serves a page on a free port of 127.0.0.1. @returns Its URL. */
export async function servePage(t: ExecutionContext, html: string): Promise<string> {
  const server = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html; charset=utf-8')
    reply.end(html)
  })
  return `${await listenUntilEnd(t, server)}/`
}
