/** Checks of "Try it" in the API reference. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { copied } from './entry-checks.js'
import { inPage, withContract, withDouble, withFolder } from './with-double.js'

const run = promisify(execFile)

/** Sends requests from the API reference of a sandbox. */
export const tryIt = withDouble(async (double, browser) => {
  const sandbox = await double.sandbox({ name: 'mine' })
  await inPage(browser, `${sandbox.url}/__admin/docs`, async (page) => {
    const remove = page.locator('#service-deleteInsight')
    await remove.getByText('Try it').click()
    assert.notEqual(await remove.getByLabel('id, path').inputValue(), '')
    await remove.getByLabel('Caller').selectOption('ada')
    await remove.getByLabel('id, path').fill('monstera-watering')
    await remove.getByRole('button', { name: 'Send' }).click()
    await remove.getByText('204 No Content').waitFor()
    await remove.getByRole('button', { name: 'curl' }).click()
    await remove.getByRole('button', { name: 'Copy the request as curl' }).waitFor()
    const create = page.locator('#control-addFault')
    await create.getByText('Try it').click()
    const body = create.getByRole('textbox', { name: 'Body', exact: true })
    assert.match(await body.inputValue(), /listInsights/u)
    await create.getByRole('button', { name: 'Send' }).click()
    await create.getByText('201 Created').waitFor()
    await create.getByRole('region', { name: 'Documented' }).getByText('fired').first().waitFor()
    await body.fill('{ "status": "many" }')
    await create.getByRole('button', { name: 'Send' }).click()
    await create.getByText('400 Bad Request').waitFor()
    await create.getByText('violation', { exact: true }).waitFor()
    await body.fill('{ "status": ')
    await create.getByRole('button', { name: 'Format' }).click()
    await create.getByText('You can send it nevertheless').waitFor()
    await create.getByRole('button', { name: 'Send' }).click()
    await create.getByText('The request body is not JSON').first().waitFor()
    assert.equal(await body.inputValue(), '{ "status": ')
    await remove.getByRole('link', { name: 'Show in the console' }).click()
    await page.getByRole('heading', { name: 'DELETE /sandboxes/mine/insights/monstera-watering' }).waitFor()
  })
  assert.equal((await sandbox.requests({ operation: 'deleteInsight', status: 204 })).matched, 1)
  assert.equal((await double.requests()).matched, 0)
  assert.equal((await sandbox.faults()).length, 1)
  return undefined
})

const order = {
  type: 'object',
  required: ['id', 'size'],
  properties: {
    id: { type: 'integer', readOnly: true },
    size: { $ref: '#/components/schemas/Size' },
    notes: { type: 'array', items: { type: 'string', example: 'ring twice' } },
  },
}

/** A contract whose examples are at its parameters and at the properties of its schemas. */
const orders = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  components: { schemas: { Size: { type: 'string', enum: ['small', 'large'], example: 'large' } } },
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 }, example: 2 },
          { name: 'size', in: 'query', schema: { $ref: '#/components/schemas/Size' } },
          { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } },
        ],
        responses: {
          '200': { description: 'ok', content: { 'application/json': { schema: { type: 'array', items: order } } } },
        },
      },
      post: {
        operationId: 'createOrder',
        requestBody: { content: { 'application/json': { schema: order } } },
        responses: { '201': { description: 'done', content: { 'application/json': { schema: order } } } },
      },
    },
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getOrder',
        responses: { '200': { description: 'ok', content: { 'application/json': { schema: order } } } },
      },
    },
  },
}

/** Fills parameters and bodies, and clears the optional parameters on request. */
export const prefilled = withContract(orders, { orders: [] }, async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/docs`, async (page) => {
    const list = page.locator('#service-listOrders')
    await list.getByText('Try it').click()
    const values = async (): Promise<readonly string[]> =>
      Promise.all(['limit', 'size', 'page'].map(async (name) => list.getByLabel(`${name}, query`).inputValue()))
    assert.deepEqual(await values(), ['2', 'large', ''])
    await list.getByRole('button', { name: 'Send' }).click()
    await list.getByText('200 OK', { exact: true }).waitFor()
    await list.getByRole('button', { name: 'Clear optional parameters' }).click()
    assert.deepEqual(await values(), ['', '', ''])
    const create = page.locator('#service-createOrder')
    await create.getByText('Try it').click()
    const body = await create.getByRole('textbox', { name: 'Body', exact: true }).inputValue()
    assert.deepEqual(JSON.parse(body), { size: 'large', notes: ['ring twice'] })
    await create.getByRole('button', { name: 'Send' }).click()
    await create.getByText('201 Created', { exact: true }).waitFor()
  })
  const urls = (await double.requests()).entries.map(({ url, verdict }) => `${verdict} ${url}`)
  assert.deepEqual(urls, ['ok /orders?limit=2&size=large', 'ok /orders'])
  return undefined
})

const adminToken = 'an-admin-token'

/** Copies requests to the control plane, which the journal does not contain. */
export const copies = withDouble(
  async (double, browser) =>
    withFolder(async (folder) => {
      const env = { ...process.env, ADMIN_TOKEN: adminToken }
      await inPage(browser, `${double.url}/__admin/docs`, async (page) => {
        await page.getByLabel('Token').fill(adminToken)
        await page.getByRole('button', { name: 'Enter' }).click()
        const add = page.locator('#control-addFault')
        await add.getByText('Try it').click()
        const fault = { operation: 'listInsights', body: `it's "$HOME" \`id\`\n` }
        await add.getByRole('textbox', { name: 'Body', exact: true }).fill(JSON.stringify(fault, null, 2))
        await add.getByRole('button', { name: 'Send' }).click()
        await add.getByText('201 Created').waitFor()
        const curl = await copied(add, 'curl')
        await run('sh', ['-c', curl], { env })
        const file = join(folder, 'copied.mjs')
        const text = await copied(add, 'fetch')
        await writeFile(file, text)
        await run(process.execPath, [file], { env })
        assert.doesNotMatch(curl + text, /an-admin-token/u)
        const faults = await fetch(`${double.url}/__admin/faults`, {
          headers: { authorization: `Bearer ${adminToken}` },
        })
        const bodies = ((await faults.json()) as { body: string }[]).map(({ body }) => body)
        assert.deepEqual(bodies, [fault.body, fault.body, fault.body])
        const get = page.locator('#control-listRecords')
        await get.getByText('Try it').click()
        await get.getByRole('button', { name: 'Clear optional parameters' }).click()
        await get.getByRole('button', { name: 'Send' }).click()
        await get.getByText('200 OK', { exact: true }).waitFor()
        const { stdout } = await run('sh', ['-c', await copied(get, 'curl')], { env })
        assert.match(stdout, /"total":12/u)
      })
      return undefined
    }),
  { adminToken },
)

/** Shows the received part of a response that a fault cuts. */
export const cut = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/docs`, async (page) => {
    const list = page.locator('#service-listInsights')
    await list.getByText('Try it').click()
    await double.addFault({ operation: 'listInsights', truncate: true })
    await list.getByRole('button', { name: 'Send' }).click()
    await list.getByText('The connection was closed before the end of the body.').waitFor()
    await list.getByText('200 OK', { exact: true }).waitFor()
    await list.getByRole('button', { name: 'curl', exact: true }).waitFor()
    // A browser repeats a GET once if it gets no response on an open connection.
    await double.addFault({ operation: 'listInsights', disconnect: true, times: 'always' })
    await list.getByRole('button', { name: 'Send' }).click()
    await list.getByText('The connection was closed without a response:').waitFor()
    await double.clearFaults()
    await list.getByRole('button', { name: 'Send' }).click()
    await list.getByRole('region', { name: 'Body' }).getByText('8 items').waitFor()
  })
  return undefined
})
