import assert from 'node:assert/strict'

import type { Page } from 'playwright-core'

import { body, integer, listOf, object, parameter, text } from '../resources/plants-contract.js'
import { inPage, withContract, withDouble } from './with-double.js'

/** Opens an operation. @param name - The method and the path, with a hyphen for each character that RapiDoc replaces. */
async function goToOperation(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(name)}`)
  await page.locator(`[id=${JSON.stringify(name)}]`).waitFor()
}

/** Sends the request of the operation that is shown, and waits for its status. */
async function send(page: Page, status: number): Promise<void> {
  await page.getByRole('button', { name: 'TRY', exact: true }).click()
  await page.locator('.response-message', { hasText: String(status) }).waitFor()
}

/** Sends requests as a caller from the reference of a sandbox, and links to them in the console. */
export const authorized = withDouble(async (double, browser) => {
  const sandbox = await double.sandbox({ name: 'mine' })
  await inPage(browser, `${sandbox.url}/__admin/`, async (page) => {
    await page.getByRole('link', { name: 'grace', exact: true }).click()
    await page.getByText(`Base URL ${sandbox.url}`).waitFor()
    await page.locator('#callers').waitFor()
    assert.equal(await page.getByLabel('Caller').inputValue(), 'grace')
    await goToOperation(page, 'get-/insights')
    await send(page, 200)
    await page.getByLabel('Caller').selectOption('ada')
    await page.waitForURL(/caller=ada/u)
    await page.locator('[data-pname=limit]').waitFor()
    await goToOperation(page, 'delete-/insights/-id-')
    assert.equal(await page.locator('[data-pname=id]').inputValue(), 'monstera-watering')
    await send(page, 204)
    await page.getByLabel('Caller').selectOption('no credential')
    await page.waitForURL(/caller=(?:#|$)/u)
    await page.locator('[data-pname=id]').waitFor()
    await send(page, 401)
    await page.getByRole('link', { name: 'Show in the console' }).click()
    await page.getByRole('heading', { name: 'DELETE /insights/monstera-watering' }).waitFor()
    await page.goto(`${sandbox.url}/__admin/docs?caller=nobody`)
    await page.getByText('There is no caller nobody.').waitFor()
  })
  const { entries } = await sandbox.requests()
  const sent = entries.map(({ caller, method, status, verdict }) => [method, caller, status, verdict].join(' '))
  assert.deepEqual(sent, ['GET grace 200 ok', 'DELETE ada 204 ok', 'DELETE  401 ok'])
  assert.equal((await double.requests()).matched, 0)
})

const adminToken = 'an-admin-token'

/** Asks for the admin token, and sends it to the control plane. An event stream is not requested, because it does not end. */
export const controlPlane = withDouble(
  async (double, browser) => {
    const sandbox = await double.sandbox({ name: 'mine' })
    await inPage(browser, `${sandbox.url}/__admin/docs`, async (page) => {
      await page.getByLabel('Token').fill(adminToken)
      await page.getByRole('button', { name: 'Enter' }).click()
      await page.getByRole('link', { name: 'Control plane' }).click()
      assert.equal(await page.getByLabel('Caller').isVisible(), false)
      await goToOperation(page, 'post-/__admin/faults')
      const field = page.locator('textarea.request-body-param-user-input')
      await field.fill('{ "operation": "listInsights", "status": 500 }')
      await send(page, 201)
      await goToOperation(page, 'post-/__admin/sandboxes')
      await page.getByText(`API Server ${double.url}`, { exact: true }).waitFor()
      await goToOperation(page, 'get-/__admin/events')
      await page.getByRole('button', { name: 'TRY', exact: true }).click()
      await page.getByText('The response of this operation does not end.').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Show in the console' }).count(), 0)
    })
    assert.equal((await sandbox.faults()).length, 1)
  },
  { adminToken },
)

const ok = { 200: body({ type: 'object' }, {}) }
const photo = object({ title: text, file: { ...text, format: 'binary' } }, 'title', 'file')
const ids = parameter('ids', { ...listOf(integer), minItems: 2 }, true)
const theme = { ...parameter('theme', { enum: ['dark', 'light'] }, true), in: 'cookie', example: 'dark' }
const pin = { name: '__Host-pin', in: 'cookie', schema: text, example: 'one' }

/** A contract with bodies, parameters and credentials of several kinds. */
const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'https://shop.example/v1' }],
  security: [{ key: [], session: [] }, { login: [] }],
  components: {
    securitySchemes: {
      login: { type: 'http', scheme: 'basic' },
      other: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'query', name: 'key' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
  },
  paths: {
    '/photos': {
      servers: [{ url: 'https://photos.example' }],
      post: {
        operationId: 'addPhoto',
        security: [{ login: [] }],
        requestBody: { required: true, content: { 'multipart/form-data': { schema: photo } } },
        responses: ok,
      },
    },
    '/things': {
      get: {
        operationId: 'findThings',
        parameters: [{ ...ids, explode: false, example: [3, 4] }, theme],
        responses: ok,
      },
    },
    '/pinned': { get: { operationId: 'findPinned', security: [], parameters: [pin], responses: ok } },
  },
}
const shopFixture = {
  $callers: { ada: { tokens: { login: 'ada:secret', other: 'ada-bearer', key: 'ada-key', session: 'ada-session' } } },
}

/** Sends a multipart body, an array without `explode`, cookies, and only the credentials that the operation needs. */
export const encoded = withContract(shop, shopFixture, async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/docs#post-/photos`, async (page) => {
    await page.locator('[data-pname=title]').fill('Monstera')
    const picture = { name: 'monstera.png', mimeType: 'image/png', buffer: Buffer.from('a picture') }
    await page.locator('[data-pname=file]').setInputFiles(picture)
    await send(page, 200)
    await goToOperation(page, 'get-/things')
    await send(page, 200)
    assert.equal(await page.evaluate<string>('document.cookie'), '')
    assert.equal(await page.locator('#note').isVisible(), false)
    await goToOperation(page, 'get-/pinned')
    await send(page, 200)
    await page.getByText('does not let a page set the cookie __Host-pin').waitFor()
  })
  const { entries } = await double.requests()
  const sent = entries.map(({ caller, status, url, verdict }) => `${verdict} ${status} ${caller ?? ''} ${url}`)
  assert.deepEqual(sent, ['ok 200 ada /photos', 'ok 200 ada /things?ids=3,4&key=[redacted]', 'ok 200  /pinned'])
  assert.match(String(entries[0]?.requestBody), /Monstera/u)
})

const attack = "document.title='it ran';fetch('/__admin/reset',{method:'POST'})"

/** Each would run, or would request another host or a resource of this one, if the page let it. */
const hostile = [
  `<script>${attack}</script>`,
  `<script src="/script"></script>`,
  `<img src="x" onerror="${attack}">`,
  `<svg onload="${attack}"></svg>`,
  `<details open ontoggle="${attack}"><summary>more</summary></details>`,
  `<iframe srcdoc="<script>parent.${attack}</script>"></iframe>`,
  `<iframe src="javascript:parent.${attack}"></iframe>`,
  `<img src="https://evil.example/pixel.png">`,
  `<link rel="stylesheet" href="https://evil.example/style.css">`,
  `<style>@import url(https://evil.example/import.css); * { background: url(https://evil.example/ground.png) }</style>`,
  `<meta http-equiv="refresh" content="0; url=https://evil.example/">`,
  `<base href="https://evil.example/">`,
  `<form action="https://evil.example/"><button>Send it</button></form>`,
  `<a href="javascript:${attack}">a link of HTML</a>`,
  `[a link of Markdown](javascript:${encodeURIComponent(attack)})`,
  '![an image](https://evil.example/markdown.png)',
].join('\n\n')

const hostileId = { ...text, description: hostile, example: hostile }
const hostileSchema = { ...object({ id: hostileId }), description: hostile }
const hostileHtml = { 'text/html': { schema: text, example: hostile } }
const hostileQuery = { ...parameter('q', { ...text, default: hostile }), description: hostile, example: hostile }
const script = { 'text/javascript': { schema: text, example: attack } }
const hostileContract = {
  openapi: '3.1.0',
  info: { title: hostile, version: '1.0.0', description: hostile, contact: { name: hostile } },
  tags: [{ name: 'things', description: hostile }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key', description: hostile } } },
  paths: {
    '/things': {
      post: {
        tags: ['things'],
        summary: hostile,
        description: hostile,
        parameters: [hostileQuery],
        requestBody: { description: hostile, content: { 'application/json': { schema: hostileSchema } } },
        responses: {
          200: { description: hostile, content: { ...hostileHtml, 'application/json': { schema: hostileSchema } } },
        },
      },
    },
    '/script': { get: { responses: { 200: { description: 'A script.', content: script } } } },
  },
}

/** Runs no script of a contract, and asks no other host, wherever its texts are shown. */
export const safe = withContract(hostileContract, { $callers: {} }, async (double, browser) => {
  for (const width of [1280, 600]) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const requested: string[] = []
    // A request that the policy forbids is not sent, but is reported here as failed.
    page.on('requestfinished', (request) => requested.push(request.url()))
    await page.goto(`${double.url}/__admin/docs`)
    await page.getByText('a link of Markdown').first().waitFor()
    for (const part of ['overview', 'auth', 'post-/things']) {
      await page.evaluate(`location.hash = ${JSON.stringify(part)}`)
      await page.waitForTimeout(300)
      const links = page.locator('a[href^="javascript:"]')
      assert.ok((await links.count()) > 0, part)
      await links.evaluateAll((all) => all.forEach((link) => (link as unknown as { click(): void }).click()))
    }
    await page.getByRole('button', { name: 'TRY', exact: true }).first().click()
    await page.waitForTimeout(300)
    assert.equal(new URL(page.url()).pathname, '/__admin/docs')
    assert.notEqual(await page.title(), 'it ran')
    const isWrong = (url: string) => !url.startsWith(double.url) || /\/(?:reset|script)$/u.test(new URL(url).pathname)
    assert.deepEqual(requested.filter(isWrong), [])
    await context.close()
  }
})
