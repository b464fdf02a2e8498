/** Checks of each view, with its bad input. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type DoubleHandle, startDouble } from 'insights-double'
import type { Browser } from 'playwright-core'

import { openPage } from './open-page.js'
import { asAda, type Check, fill, inPage, withDouble, withFolder } from './with-double.js'

/** Changes all records by one request. */
const changeAll = `export const deleteInsight = ({ state }) => ({
  status: 204,
  state: { ...state, insights: state.insights.map((each) => ({ ...each, content: each.content + 'and more' })) },
})`

/** Pages, sorts and searches 10,000 records, and shows their changes. */
export const tenThousand: Check = async (browser) =>
  withFolder(async (folder) => {
    const handlers = join(folder, 'handlers.mjs')
    await writeFile(handlers, changeAll)
    const insights = Array.from({ length: 10_000 }, (_, index) => ({
      content: `Record number ${index} ${'with a long text '.repeat(30)}`,
      title: `Title ${index}`,
    }))
    return withDouble(showAll, { handlers, fixture: { $callers: { ada: { token: 'ada-token' } }, insights } })(browser)
  })

async function showAll(double: DoubleHandle, browser: Browser): Promise<string> {
  const { page } = await openPage(browser, 'about:blank')
  const sizes: number[] = []
  page.on('response', (response) => {
    if (!/\/(?:records|state\/diff)\?/u.test(response.url())) return
    response.body().then(
      (body) => sizes.push(body.length),
      () => {},
    )
  })
  await page.goto(`${double.url}/__admin/#state`)
  await page.getByText('insights: 1 to 50 of 10,000 records').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('insights: 51 to 100').waitFor()
  await page.getByRole('button', { name: 'Sort by content' }).click()
  await page.getByText('insights: 1 to 50').waitFor()
  await page.getByLabel('Text').fill('number 9999 ')
  await page.getByText('1 that match').waitFor()
  await page.getByLabel('Text').fill('')
  await fetch(`${double.url}/insights/any`, { method: 'DELETE', headers: asAda })
  await page.getByText('insights: 10,000 records changed, the first 20').waitFor()
  assert.equal(await page.locator('tr.changed').count(), 50)
  assert.match((await page.locator('tr.changed ins').first().textContent()) ?? '', /and more"$/u)
  await page.context().close()
  assert.ok(Math.max(...sizes) < 100_000, String(sizes))
  return `pages and changes of ${sizes.map((size) => `${(size / 1000).toFixed(1)} kB`).join(', ')}`
}

/** Deletes, restores, edits and adds records. */
export const editing = withDouble(async (double, browser) => {
  const record = async (): Promise<string> =>
    (await fetch(`${double.url}/__admin/record?collection=insights&key=orchid-ice-cubes`)).text()
  const before = await record()
  await inPage(browser, `${double.url}/__admin/#state?record=orchid-ice-cubes`, async (page) => {
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted orchid-ice-cubes').waitFor()
    assert.match(await record(), /"error":404/u)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('is restored').waitFor()
    assert.equal(await record(), before)
    // An undo while another record is shown changes only the one that was edited.
    const text = page.getByLabel('JSON')
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await text.fill('{ "id": "orchid-ice-cubes", "content": "mine" }')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved orchid-ice-cubes').waitFor()
    await page.getByRole('link', { name: 'pothos-cutting-bundle' }).click()
    await page.getByRole('heading', { name: 'pothos-cutting-bundle' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('orchid-ice-cubes is as it was before').waitFor()
    assert.match(await text.inputValue(), /"id": "pothos-cutting-bundle"/u)
    assert.equal(await record(), before)
    await page.getByRole('link', { name: 'orchid-ice-cubes' }).first().click()
    await page.getByRole('heading', { name: 'orchid-ice-cubes' }).waitFor()
    // Somebody else changes the record after the edit: the undo is stale.
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await text.fill('{ "id": "orchid-ice-cubes", "content": "mine" }')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved orchid-ice-cubes').waitFor()
    await fetch(`${double.url}/__admin/record?collection=insights&key=orchid-ice-cubes`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{ "id": "orchid-ice-cubes", "content": "theirs" }',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('has changed since it was read').waitFor()
    assert.match(await record(), /theirs/u)
    await page.getByRole('button', { name: 'Add a record' }).click()
    await page.getByText('New record of insights').waitFor()
    await text.fill('{ "content": "new" }')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Added insight-1').waitFor()
    assert.match(page.url(), /record=insight-1/u)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Removed insight-1').waitFor({ state: 'attached' })
  })
})

/** Filters requests, reloads, and follows a link of the coverage. */
export const filtering = withDouble(async (double, browser) => {
  await fill(double)
  await inPage(browser, `${double.url}/__admin/`, async (page) => {
    await page.getByText('3 requests').waitFor()
    await page.getByLabel('Verdict').selectOption('violation')
    await page.getByText('1 of 3 requests').waitFor()
    assert.match(page.url(), /verdict=violation/u)
    await page.getByLabel('Text').fill('nothing')
    await page.getByText('None of 3 requests matches the filter').waitFor()
    await page.reload()
    await page.getByText('None of 3 requests matches the filter').waitFor()
    assert.equal(await page.getByLabel('Text').inputValue(), 'nothing')
    await page.goto(`${double.url}/__admin/#coverage`)
    await page.getByRole('link', { name: /deleteInsight 204/u }).click()
    await page.getByText('1 of 3 requests').waitFor()
    assert.match(page.url(), /operation=deleteInsight&status=204/u)
  })
})

/** Adds faults of several kinds, and removes them. */
export const faults = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/#faults`, async (page) => {
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Operation').selectOption('deleteInsight')
    await page.getByRole('combobox', { name: 'Status', exact: true }).selectOption('404')
    await page.getByLabel('Times').fill('many')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText(/times must be/u).waitFor()
    await page.getByLabel('Times').fill('2')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('Applied 0 of 2').waitFor()
    const { status } = await fetch(`${double.url}/insights/x`, { method: 'DELETE', headers: asAda })
    assert.equal(status, 404)
    await page.getByText('Applied 1 of 2').waitFor()
    await page.getByRole('button', { name: 'Remove fault-' }).first().click()
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Operation').selectOption('deleteInsight')
    await page.getByLabel('Caller').selectOption('grace')
    await page.getByLabel('Only id, path').fill('pothos-cutting-bundle')
    await page.getByRole('textbox', { name: /^Headers/u }).fill('retry-after: 1')
    await page.getByRole('textbox', { name: /^Body/u }).fill('{ not json')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('The body is not JSON').waitFor()
    await page.getByRole('textbox', { name: /^Body/u }).fill('{ "error": 1, "message": "on purpose" }')
    await page.getByLabel('Times').fill('always')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('Applied 0 times').waitFor()
    const options = { method: 'DELETE', headers: { authorization: 'Bearer grace-token' } }
    const hit = await fetch(`${double.url}/insights/pothos-cutting-bundle`, options)
    assert.equal(hit.headers.get('retry-after'), '1')
    assert.match(await hit.text(), /on purpose/u)
    await page.getByRole('button', { name: 'Remove all' }).click()
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Effect').selectOption('slow')
    await page.getByLabel('Delay of each part').fill('5')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('sends the body slowly, 5 ms').waitFor()
    await page.getByRole('button', { name: 'Remove all' }).click()
    await page.getByText('No faults').waitFor()
  })
  assert.deepEqual(await double.faults(), [])
})

/** Saves the state, resets, and loads the saved file. */
export const fixtures = withDouble(async (double, browser) =>
  withFolder(async (folder) => {
    await fill(double)
    const file = join(folder, 'saved.json')
    await inPage(browser, `${double.url}/__admin/#fixtures`, async (page) => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as a fixture' }).click()
      await writeFile(file, await readFile(await (await download).path()))
      await page.getByRole('button', { name: 'Reset to empty' }).click()
      await page.getByText('Reset to empty: 0 insights').waitFor()
    })
    assert.equal((await double.state())['insights']?.length, 0)
    const saved = await startDouble({ fixture: file })
    const { insights } = await saved.state()
    await saved.stop()
    assert.equal(insights?.length, 12)
  }),
)

/** Creates, shows and drops sandboxes. */
export const sandboxes = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/sandboxes/gone/__admin/`, async (page) => {
    await page.getByText('There is no sandbox gone').waitFor()
    await page.getByLabel('Name').fill('not a name')
    await page.getByRole('button', { name: 'Create a sandbox' }).click()
    await page.getByText('must match').waitFor()
    await page.getByLabel('Name').fill('mine')
    await page.getByRole('button', { name: 'Create a sandbox' }).click()
    await page.getByRole('link', { name: 'mine' }).click()
    await page.getByText('No requests since').waitFor()
    await fetch(`${double.url}/sandboxes/mine/insights`, { headers: asAda })
    await page.getByText('1 request.').waitFor()
    await page.goto(`${double.url}/sandboxes/mine/__admin/#sandboxes`)
    await page.getByRole('button', { name: 'Drop mine' }).click()
    await page.waitForURL(/:\d+\/__admin\/#sandboxes$/u)
  })
  // Another user drops the sandbox of an open page.
  const dropped = await double.sandbox({ name: 'dropped' })
  await inPage(browser, `${dropped.url}/__admin/`, async (page) => {
    await page.getByText('No requests since').waitFor()
    await dropped.stop()
    await page.getByText('There is no sandbox dropped').waitFor()
    await page.getByRole('link', { name: 'Go to the sandboxes of the root' }).click()
    await page.getByText('cannot be dropped').waitFor()
  })
})
