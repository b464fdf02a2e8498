/** Checks of one request in full: where it breaks the contract, and its copies. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { Page } from 'playwright-core'

import { body, inPath, integer, type Json, listOf, object } from '../resources/plants-contract.js'
import { asAda, inPage, withContract, withDouble, withFolder } from './with-double.js'

const run = promisify(execFile)

/** A contract of orders, with items inside. */
function orderContract(): object {
  const order = object({ id: integer, items: listOf(object({ count: integer })) }, 'id', 'items')
  const responses = (status: number, schema: Json): object => ({ responses: { [status]: body(schema) } })
  return {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1.0.0' },
    paths: {
      '/orders': {
        get: { operationId: 'listOrders', ...responses(200, listOf(order)) },
        post: { operationId: 'createOrder', requestBody: body(order), ...responses(201, order) },
      },
      '/failures': { get: { operationId: 'fail', ...responses(503, order) } },
      '/orders/{id}': {
        parameters: [inPath('id', integer)],
        get: { operationId: 'getOrder', ...responses(200, order) },
      },
    },
  }
}

/** A handler whose response breaks the contract. A 5xx is sent nevertheless. */
const failing = `export const fail = () => ({ status: 503, body: { id: 1, items: [{ count: 2 }, { count: 'three' }] } })`

/** Shows violations at the fields of the path, of the request body and of the response body. */
export const marks = withContract(
  orderContract(),
  { orders: [] },
  async (double, browser) => {
    const idOf = async (path: string, init: RequestInit = {}): Promise<string> =>
      (await fetch(`${double.url}${path}`, init)).headers.get('x-request-id') ?? ''
    const created = await idOf('/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, items: [{ count: 2 }, { count: 'three' }] }),
    })
    const read = await idOf('/orders/abc')
    const failed = await idOf('/failures')
    const shown = async (id: string, part: string): Promise<readonly string[]> =>
      inPage(browser, `${double.url}/__admin/#requests?id=${id}`, async (page) => {
        await page.getByText('Response headers').waitFor()
        return page.getByRole('region', { name: part }).locator('.marked').allTextContents()
      })
    const [ofBody, ofPath] = [await shown(created, 'Request body'), await shown(read, 'Path parameters')]
    const ofResponse = await shown(failed, 'Response body')
    assert.equal(ofBody.length, 1)
    assert.match(String(ofBody[0]), /^count: "three".*must be integer/u)
    assert.equal(ofResponse.length, 1)
    assert.match(String(ofResponse[0]), /^count: "three".*must be integer/u)
    assert.equal(ofPath.length, 1)
    assert.match(String(ofPath[0]), /^id: "abc".*must be an integer/u)
  },
  failing,
)

/** Presses a button of "Copy as". @returns The copied text. */
async function copied(page: Page, format: 'curl' | 'fetch' | 'playwright' | 'vitest'): Promise<string> {
  await page.getByRole('button', { name: format, exact: true }).click()
  await page.getByRole('button', { name: `Copy the request as ${format}` }).waitFor()
  return (await page.locator('.copyable code').first().textContent()) ?? ''
}

/** Runs what "Copy as" shows, and gets the same response. */
export const copies = withDouble(async (double, browser) =>
  withFolder(async (folder) => {
    const response = await fetch(`${double.url}/insights?limit=2`, { headers: asAda })
    const id = response.headers.get('x-request-id') ?? ''
    const received = await response.text()
    const env = { ...process.env, ADA_TOKEN: 'ada-token' }
    await inPage(browser, `${double.url}/__admin/#requests?id=${id}`, async (page) => {
      const { stdout } = await run('sh', ['-c', await copied(page, 'curl')], { env })
      assert.equal(stdout, received)
      const file = join(folder, 'copied.mjs')
      await writeFile(file, await copied(page, 'fetch'))
      await run(process.execPath, [file], { env })
      const { entries } = await double.requests()
      assert.equal(entries.length, 3)
      for (const entry of entries) assert.equal(JSON.stringify(entry.responseBody), received)
      assert.match(await copied(page, 'vitest'), /fetch\(`\$\{sandbox\.url\}\/insights\?limit=2`.*toBe\(200\)/su)
      await page.getByText('ada-token', { exact: true }).waitFor()
    })
  }),
)
