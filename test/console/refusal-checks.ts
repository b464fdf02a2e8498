/** Checks of bad input: a message next to the field, and nothing is lost. */
import assert from 'node:assert/strict'

import type { Page } from 'playwright-core'

import { inPage, sendRecord, withDouble } from './with-double.js'

/** Adds an operation and a parameter to the contract that a page reads, as if the contract had changed while the page was open. */
async function pretend(page: Page): Promise<void> {
  await page.route('**/collections', async (route) => {
    const response = await route.fetch()
    const document = (await response.json()) as { operations: object[] }
    const gone = { operation: 'goneOperation', parameters: [] }
    const [listing] = document.operations
    const others = [...document.operations.slice(1), gone]
    const operations = [{ ...listing, parameters: [{ name: 'gone', in: 'query' }] }, ...others]
    await route.fulfill({ response, json: { ...document, operations } })
  })
}

/** Adds faults that the contract does not have. */
export const faults = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/`, async (page) => {
    await pretend(page)
    await page.goto(`${double.url}/__admin/?#faults`)
    const add = page.getByRole('button', { name: 'Add fault' })
    const form = page.getByRole('region', { name: 'New fault' })
    await page.getByLabel('Operation').selectOption('goneOperation')
    await page.getByLabel('Effect').selectOption('close the connection')
    await page.getByLabel('Times').fill('7')
    await add.click()
    await form.getByText('There is no operation "goneOperation"').waitFor()
    assert.equal(await page.getByLabel('Times').inputValue(), '7')
    await page.getByLabel('Operation').selectOption('listInsights')
    await page.getByLabel('If the query parameter gone is').fill('1')
    await add.click()
    await form.getByText('There is no parameter "gone"').waitFor()
    await page.getByLabel('If the query parameter gone is').fill('')
    await add.click()
    await page.getByText('Applied 0 of 7').waitFor()
  }),
)

/** Saves a record that is invalid or that another user has changed, and leaves an edited one without saving it. */
export const edits = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/#state?record=orchid-ice-cubes`, async (page) => {
    const text = page.getByLabel('JSON')
    const mine = '{ "id": "orchid-ice-cubes", "content": "mine" }'
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    await text.fill('{ "id": ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('This is not JSON').waitFor()
    const invalid = '{ "id": "orchid-ice-cubes", "content": 3 }'
    await text.fill(invalid)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('content must be string').waitFor()
    assert.equal(await text.inputValue(), invalid)
    assert.deepEqual((await double.diff()).collections['insights']?.changed, {})
    await text.fill(mine)
    await page.getByText('content must be string').waitFor({ state: 'detached' })
    await sendRecord(double, 'PUT', { id: 'orchid-ice-cubes', content: 'theirs' })
    await page.getByRole('cell', { name: 'theirs' }).first().waitFor()
    assert.equal(await text.inputValue(), mine)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('has changed since it was read').waitFor()
    await page.getByRole('region', { name: 'Record', exact: true }).getByText('"theirs"').waitFor()
    assert.equal(await text.inputValue(), mine)
    // An edited text that is not saved is shown again after another record was shown.
    await page.getByRole('link', { name: 'pothos-cutting-bundle' }).click()
    await page.getByRole('heading', { name: 'pothos-cutting-bundle' }).waitFor()
    await page.getByRole('link', { name: 'orchid-ice-cubes' }).first().click()
    await page.getByText('It is not saved').waitFor()
    assert.equal(await text.inputValue(), mine)
    await page.reload()
    await page.getByText('It is not saved').waitFor()
    assert.equal(await text.inputValue(), mine)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved orchid-ice-cubes').waitFor()
    await page.getByRole('cell', { name: 'mine' }).first().waitFor()
  }),
)
