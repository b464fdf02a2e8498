/** Checks with contracts that differ from that of the service. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { DoubleHandle } from 'insights-double'

import { body, inPath, integer, listOf, object, text } from '../resources/plants-contract.js'
import { type Check, inPage, withContract, withDouble, withFolder } from './with-double.js'

/** Two collections that share a last segment, operations without an operationId, and credentials of four kinds for each request. */
function otherContract(): object {
  const paths = (area: string, extra: object): object => {
    const tag = object({ id: text, name: text, ...extra }, 'id', 'name')
    const [list, read] = [listOf(tag), tag].map((schema) => ({ get: { responses: { 200: body(schema) } } }))
    return {
      [`/${area}/{owner}/tags`]: { parameters: [inPath('owner')], ...list },
      [`/${area}/{owner}/tags/{id}`]: { parameters: [inPath('owner'), inPath('id')], ...read },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Other', version: '1.0.0' },
    security: [{ key: [], session: [], device: [], signed: [] }],
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        device: { type: 'apiKey', in: 'cookie', name: 'device' },
        signed: { type: 'http', scheme: 'Signature' },
      },
    },
    paths: { ...paths('shops', {}), ...paths('farms', { size: integer }) },
  }
}

const otherFixture = {
  $callers: { ada: { token: 'ada-secret-key' } },
  'shops/tags': [{ id: 'one', name: 'first', $parents: { owner: 'a b' } }],
}

/** Shows a contract that differs from that of the service. */
export const anyContract = withContract(otherContract(), otherFixture, async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/#state?collection=shops/tags`, async (page) => {
    await page.getByRole('link', { name: 'one' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    const { searchParams } = new URL(page.url().replace('#state', ''))
    assert.equal(searchParams.get('record'), '["a b","one"]')
    // A new record begins with an example of the contract, and with the keys of its parents.
    await page.getByRole('link', { name: 'Add a record' }).click()
    await page.getByText('New record of shops/tags').waitFor()
    await page.getByText('From an example of the contract').waitFor()
    const template = JSON.parse(await page.getByLabel('JSON').inputValue()) as Record<string, unknown>
    assert.deepEqual(template['$parents'], { owner: '' })
    assert.equal(typeof template['name'], 'string')
    await page.goto(`${double.url}/__admin/docs#get-/shops/-owner-/tags/-id-`)
    await page.locator('[data-pname=owner]').fill('a b')
    await page.locator('[data-pname=id]').fill('one')
    await page.getByRole('button', { name: 'TRY', exact: true }).click()
    await page.locator('.response-message', { hasText: '200' }).waitFor()
  })
  const { matched } = await double.requests({ caller: 'ada', status: 200, verdict: 'ok' })
  assert.equal(matched, 1)
})

/** Shows a contract without callers, with a mocked operation, whose folder of fixtures has that of another contract. */
export const plants: Check = async (browser) =>
  withFolder(async (fixtures) => {
    await writeFile(join(fixtures, 'other.json'), '{ "insights": [] }')
    const show = async (double: DoubleHandle): Promise<void> => {
      await inPage(browser, `${double.url}/__admin/#contract`, async (page) => {
        await page.getByText('not known which properties of the record water changes').waitFor()
        await page.getByText('Needs a handler: a function with the name waterPlant').waitFor()
        await page.getByText('query, no effect').first().waitFor()
        await page.getByRole('button', { name: 'Suggest an overlay' }).click()
        await page.getByText('# No x-double is known').waitFor()
        const { headers } = await fetch(`${double.url}/plants`, { method: 'POST' })
        await page.goto(`${double.url}/__admin/#requests?id=${headers.get('x-request-id') ?? ''}`)
        await page.getByText('The contract has no callers').waitFor()
        assert.match((await page.locator('mark').last().textContent()) ?? '', /responses:/u)
        // Ctrl+S saves from everywhere while the panel is open, and three columns fit.
        await page.goto(`${double.url}/__admin/#state?record=plant-1`)
        await page.getByLabel('JSON').fill('{ "id": "plant-1", "room": "hall", "litres": 3 }')
        await page.getByRole('heading', { name: 'plant-1' }).press('Control+s')
        await page.getByText('Saved plant-1').waitFor()
        await page.getByRole('button', { name: 'Close' }).click()
        await page.getByRole('cell', { name: 'hall' }).first().waitFor()
        assert.ok(!(await page.getByText('More columns at the right').isVisible()))
        await page.goto(`${double.url}/__admin/#fixtures`)
        await page.getByText('Of another contract: other.').waitFor()
        await page.getByRole('textbox', { name: /^Name of the fixture/u }).fill('shed')
        await page.getByRole('button', { name: 'Save into the folder' }).click()
        await page.getByText('Saving replaces it.').waitFor()
        assert.ok((await readFile(join(fixtures, 'shed.json'), 'utf8')).includes('litres'))
      })
    }
    await withDouble(show, { spec: 'examples/plants.yaml', fixtures, fixturesWritable: true })(browser)
  })

const pathCount = 300

/** A contract with many operations, each with many statuses. */
function largeContract(): object {
  const response = body(object({ id: text, name: text }, 'id'))
  const statuses = ['200', '400', '401', '403', '404', '409', '422', '500', '503']
  const operation = (name: string): object => ({
    operationId: name,
    responses: Object.fromEntries(statuses.map((status) => [status, response])),
  })
  const paths = Array.from({ length: pathCount }, (_, index) => [
    `/things-${index}/status`,
    { get: operation(`getThing${index}`), post: operation(`setThing${index}`) },
  ])
  return { openapi: '3.1.0', info: { title: 'Large', version: '1.0.0' }, paths: Object.fromEntries(paths) }
}

/** Shows a contract of hundreds of operations: a part of the coverage, and the operation that the URL of the reference names. */
export const manyOperations = withContract(largeContract(), {}, async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/#contract`, async (page) => {
    await page.getByText('100 of 600 operations are shown').first().waitFor()
    await page.getByRole('button', { name: 'Show 100 more' }).click()
    await page.getByText('200 of 600 operations are shown').first().waitFor()
    await page.getByRole('searchbox', { name: 'Operation' }).fill('thing299')
    await page.getByText('2 of 600 operations are shown').first().waitFor()
    await page.getByText('getThing299 404 never').waitFor()
  })
  await inPage(browser, `${double.url}/__admin/docs#post-/things-150/status`, async (page) => {
    await page.getByRole('button', { name: 'TRY', exact: true }).waitFor()
    await page.getByPlaceholder('Filter').fill('things-299')
    await page.getByPlaceholder('Filter').press('Enter')
    await page.locator('.nav-bar-path').nth(2).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.nav-bar-path').count(), 2)
  })
  return '600 operations with 9 statuses'
})
