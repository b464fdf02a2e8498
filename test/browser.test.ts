import test, { type ExecutionContext } from 'ava'
import { doubleFixtures } from 'insights-double/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { asObject } from './helpers/as-object-or-list.js'
import { browserPatienceMs } from './helpers/browser.js'
import { changedSpec, changesIn, serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, del, idsSeenBy } from './helpers/http.js'
import { serveApp, servePage } from './helpers/recipe-app.js'
import { prepareBrowserTests } from './helpers/test-in-browser.js'

const testInBrowser = await prepareBrowserTests(test)

/** Opens a page in a new context, and records its errors. */
async function open(t: ExecutionContext, within: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await within.newContext(options)
  context.setDefaultTimeout(browserPatienceMs)
  t.teardown(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(url)
  return { page, problems }
}

const inSandbox = (name: string): BrowserContextOptions => ({ extraHTTPHeaders: { 'Insights-Sandbox': name } })
const told = async (page: Page, pattern: RegExp): Promise<string> =>
  (await page.getByRole('status').filter({ hasText: pattern }).textContent()) ?? ''

testInBrowser('the Playwright fixture sends the sandbox header only to the double', async (t, within) => {
  const double = await serve(t)
  const other = await serve(t)
  const app = await serveApp(t, double.url)
  const sandbox = await double.sandbox({ fixture: 'default' })
  const context = await within.newContext()
  t.teardown(() => context.close())
  await doubleFixtures.context({ context, double, sandbox, sandboxOrigins: [] }, async (used) => {
    const page = await used.newPage()
    await page.goto(app)
    await page.getByRole('button', { name: 'Delete' }).first().click()
    await sandbox.waitForRequests({ operation: 'deleteInsight', atLeast: 1, withinMs: 60_000 })
    await page.evaluate(
      async (url) => (await fetch(url, { headers: { authorization: 'Bearer ada-token' } })).text(),
      `${other.url}/insights`,
    )
  })
  t.deepEqual((await changesIn(sandbox)).removed, ['monstera-watering'])
  t.deepEqual((await changesIn(double)).removed, [])
  const [listed] = (await other.requests({ operation: 'listInsights' })).entries
  t.is(listed?.status, 200)
  t.false(JSON.stringify(listed).includes('insights-sandbox'))
})

testInBrowser('two browser contexts with two sandboxes are isolated', async (t, within) => {
  const double = await serve(t)
  const app = await serveApp(t, double.url)
  const [one, other] = [await double.sandbox(), await double.sandbox({ fixture: 'default' })]
  const openIn = ({ name }: { readonly name: string }) => open(t, within, app, inSandbox(name))
  const [first, second] = await Promise.all([openIn(one), openIn(other)])
  await Promise.all([first, second].map(({ page }) => told(page, /^8 insights$/u)))
  await Promise.all([
    first.page.locator('#monstera-watering').getByRole('button', { name: 'Delete' }).click(),
    second.page.locator('#orchid-ice-cubes').getByRole('button', { name: 'Delete' }).click(),
  ])
  await Promise.all([first, second].map(({ page }) => told(page, /^7 insights$/u)))
  await Promise.all([first, second].map(({ page }) => page.reload()))
  await Promise.all([first, second].map(({ page }) => told(page, /^7 insights$/u)))
  t.is(await first.page.locator('#orchid-ice-cubes').count(), 1)
  t.is(await second.page.locator('#monstera-watering').count(), 1)
  t.deepEqual((await changesIn(one)).removed, ['monstera-watering'])
  t.deepEqual((await changesIn(other)).removed, ['orchid-ice-cubes'])
  for (const sandbox of [one, other]) t.is((await sandbox.requests({ operation: 'deleteInsight' })).matched, 1)
  // A preflight does not have the header that names the sandbox.
  const asked = (await double.requests()).entries.filter(({ method }) => method !== 'OPTIONS')
  t.deepEqual(asked, [])
  t.deepEqual([...first.problems, ...second.problems], [])
})

testInBrowser('a page of another origin can list and delete, after a preflight', async (t, within) => {
  const double = await serve(t)
  const app = await serveApp(t, double.url)
  t.not(new URL(app).origin, double.url)
  const { page, problems } = await open(t, within, app)
  await told(page, /^8 insights$/u)
  await page.getByRole('button', { name: 'Delete' }).first().click()
  await told(page, /^7 insights$/u)
  t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
  t.deepEqual(problems, [])
  const { entries } = await double.requests()
  t.true(entries.some(({ method, url }) => method === 'OPTIONS' && url === '/insights/monstera-watering'))
  t.true(entries.every(({ verdict }) => verdict === 'ok'))
})

testInBrowser('a page of another origin can read an error and its headers', async (t, within) => {
  const double = await serve(t)
  const app = await serveApp(t, double.url)
  const { page } = await open(t, within, `${app}?limit=abc`)
  const { body, headers, status } = asObject(JSON.parse(await told(page, /^\{/u)))
  t.is(status, 400)
  const message = 'Query parameter limit must be an integer from 1 to 2147483647, got "abc".'
  t.deepEqual(body, { error: 400, message })
  const { 'sl-violations': violations, 'x-error-code': code, 'x-request-id': id } = asObject(headers)
  t.is((await double.request(String(id))).status, 400)
  t.regex(String(code), /^\w+$/u)
  t.regex(String(violations), /"severity":"Error"/u)
})

for (const status of [400, 401, 404, 500])
  testInBrowser(`a page of another origin can read the ${status} of its delete`, async (t, within) => {
    const double = await serve(t)
    const { page } = await open(t, within, await serveApp(t, double.url))
    await told(page, /^8 insights$/u)
    await double.addFault({ operation: 'deleteInsight', status })
    await page.getByRole('button', { name: 'Delete' }).first().click()
    const shown = asObject(JSON.parse(await told(page, /^\{/u)))
    t.is(shown['status'], status)
    t.is(asObject(shown['body'])['error'], status)
  })

testInBrowser('a page of another origin cannot read or change the state by the control plane', async (t, within) => {
  const double = await serve(t)
  await del(double, '/insights/monstera-watering', as('ada'))
  const before = await double.state()
  const { page } = await open(t, within, await serveApp(t, double.url))
  for (const [method, path] of Object.entries({ GET: '/state', POST: '/reset', DELETE: '/requests' })) {
    const outcome = await page.evaluate(
      async ([verb, target]) =>
        fetch(target, { method: verb }).then(
          (reply) => `read ${reply.status}`,
          () => 'refused',
        ),
      [method, `${double.url}/__admin${path}`] as const,
    )
    t.not(outcome, 'read 200', path)
    t.not(outcome, 'read 204', path)
  }
  t.deepEqual(await double.state(), before)
  t.true((await double.requests()).matched > 0)
})

/** A script that tries to undo a delete, to read the state and to rename its page. */
const attack = `document.title = 'it ran'
fetch('/__admin/reset', { method: 'POST' })
fetch('/__admin/state').then((reply) => reply.text()).then((text) => fetch('/insights?limit=' + text.length))`
const html = `<title>quiet</title><p>Hello</p><script>${attack}</script>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg"><title>quiet</title><script>${attack}</script></svg>`
const xml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title></head><body><script>${attack}</script></body></html>`
const allowing = 'sandbox allow-scripts allow-same-origin allow-forms'

/** Responses that a browser runs, each with the path that it is requested from, and the fault that it needs. */
const hostile: readonly (readonly [source: string, path: string, fault?: { type: string; body: string }])[] = [
  ['an example', '/example'],
  ['a handler', '/handled'],
  ['a fault in HTML', '/insights', { type: 'text/html', body: html }],
  ['a fault in SVG', '/insights', { type: 'image/svg+xml', body: svg }],
  ['a fault in XHTML', '/insights', { type: 'application/xhtml+xml', body: xml }],
  ['a fault in XML', '/insights', { type: 'text/xml', body: xml }],
  ['a fault of two types', '/insights', { type: 'application/json; a="b", text/html', body: html }],
  ['a fault of an invalid type', '/insights', { type: 'html', body: html }],
]
for (const [source, path, fault] of hostile)
  testInBrowser(`a script in ${source} cannot read or change anything through the control plane`, async (t, within) => {
    const spec = await changedSpec(t, (document) => {
      const headers = { 'Content-Security-Policy': { schema: { type: 'string' }, example: allowing } }
      const content = { 'text/html': { schema: { type: 'string' }, example: html } }
      const responses = { 200: { description: 'A page', headers, content } }
      for (const name of ['example', 'handled'])
        document.setIn(['paths', `/${name}`], { get: { operationId: name, security: [], responses } })
    })
    const code = `export const handled = ({ next }) => ({ ...next(), headers: { 'content-security-policy': '${allowing}' } })`
    const double = await serve(t, { spec, handlers: await writeTemporary(t, 'handlers.mjs', code) })
    await del(double, '/insights/monstera-watering', as('ada'))
    if (fault) {
      const headers = { 'content-type': fault.type, 'content-security-policy': allowing }
      await double.addFault({ status: 200, body: fault.body, headers, times: 'always' })
    }
    const { page } = await open(t, within, 'about:blank')
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(double.url + path, { waitUntil: 'networkidle' })
    t.true((await page.content()).includes('it ran'))
    t.not(await page.title(), 'it ran')
    const control = requested.filter((each) => each.startsWith('/__admin') && !each.endsWith('icon.svg'))
    t.deepEqual(control, [])
    t.deepEqual((await changesIn(double)).removed, ['monstera-watering'])
  })

testInBrowser('a page of another origin can read each documented header', async (t, within) => {
  const documented = { ETag: '"1"', Location: '/orders/1', 'X-Total-Count': '12', Link: '</o?page=2>; rel="next"' }
  const spec = await changedSpec(t, (document) => {
    const header = (example: string) => ({ required: true, schema: { type: 'string' }, example })
    const headers = Object.fromEntries(Object.entries(documented).map(([name, value]) => [name, header(value)]))
    const responses = { 204: { description: 'Nothing', headers } }
    document.setIn(['paths', '/orders'], { post: { operationId: 'order', security: [], responses } })
  })
  const double = await serve(t, { spec })
  const { page } = await open(t, within, await serveApp(t, double.url))
  const read = await page.evaluate(
    async ([url, names]) => {
      const { headers } = await fetch(url, { method: 'POST', credentials: 'include' })
      return names.map((name) => headers.get(name))
    },
    [`${double.url}/orders`, Object.keys(documented)] as const,
  )
  t.deepEqual(read, Object.values(documented))
})

for (const path of ['/__admin/', '/__admin/docs', '/__admin/state', '/__admin', '/'])
  testInBrowser(`a frame of ${path} in a page of another host shows and changes nothing`, async (t, within) => {
    const double = await serve(t)
    await del(double, '/insights/monstera-watering', as('ada'))
    // localhost and 127.0.0.1 are different sites for the browser.
    const frame = `<iframe src="${double.url}${path}" width="1200" height="900"></iframe>`
    const address = (await servePage(t, frame)).replace('127.0.0.1', 'localhost')
    const { page, problems } = await open(t, within, address, { viewport: { width: 1300, height: 1000 } })
    await page.waitForLoadState('networkidle')
    const frames = page.frames().filter((one) => one !== page.mainFrame())
    t.is(frames.length, 1)
    for (const one of frames) {
      // Chromium shows an empty page of its own in a refused frame.
      t.false(one.url().startsWith(double.url), one.url())
      t.is(await one.getByRole('button').count(), 0)
      t.is(await one.getByText(/insight|monstera/iu).count(), 0)
    }
    t.regex(problems.join('\n'), /frame/iu)
    for (let y = 50; y < 900; y += 100) for (let x = 50; x < 1200; x += 100) await page.mouse.click(x, y)
    t.deepEqual((await changesIn(double)).removed, ['monstera-watering'])
  })
