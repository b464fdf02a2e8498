/** Checks of each view, with its bad input. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type DoubleHandle, startDouble } from 'insights-double'
import type { Browser } from 'playwright-core'

import { pluck } from '../helpers/as-object-or-list.js'
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
    const fixture = { $callers: { ada: { token: 'ada-token' } }, insights }
    // On a busy machine, the handler takes a part of a second.
    return withDouble(showAll, { handlers, handlerTimeoutMs: 10_000, fixture })(browser)
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
  await page.getByText('insights: 1 to 50 of 10,000 records').first().waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('insights: 51 to 100').first().waitFor()
  await page.getByRole('button', { name: 'Sort by content' }).click()
  await page.getByText('insights: 1 to 50').first().waitFor()
  await page.getByLabel('Text').fill('number 9999 ')
  await page.getByText('1 that match').first().waitFor()
  await page.getByLabel('Text').fill('')
  const { status } = await fetch(`${double.url}/insights/any`, { method: 'DELETE', headers: asAda })
  assert.equal(status, 204)
  await page.getByText('insights: 10,000 records changed, the first 20').first().waitFor()
  // The records and their changes are two responses.
  const changed = page.getByRole('rowheader').filter({ hasText: 'changed' })
  await changed.nth(49).waitFor()
  assert.equal(await changed.count(), 50)
  const after = page.getByRole('region', { name: 'Changes' }).locator('ins')
  assert.equal(await after.count(), 20)
  assert.match((await after.first().textContent()) ?? '', /and more"$/u)
  await page.context().close()
  assert.ok(Math.max(...sizes) < 100_000, String(sizes))
  return `pages and changes of ${sizes.map((size) => `${(size / 1000).toFixed(1)} kB`).join(', ')}`
}

/** Deletes, restores, edits and adds records; undoes each change, in reverse order. */
export const editing = withDouble(async (double, browser) => {
  const record = async (): Promise<string> =>
    (await fetch(`${double.url}/__admin/record?collection=insights&key=orchid-ice-cubes`)).text()
  const before = await record()
  await inPage(browser, `${double.url}/__admin/#state?record=orchid-ice-cubes`, async (page) => {
    const text = page.getByLabel('JSON')
    const bar = async () => (await page.locator('header').boundingBox())?.height
    const barHeight = await bar()
    const save = async (): Promise<void> => {
      // The field of another record may still be shown.
      await page.getByRole('heading', { name: 'orchid-ice-cubes' }).waitFor()
      await text.fill('{ "id": "orchid-ice-cubes", "content": "mine" }')
      await text.press('Control+s')
      await page.getByText('Saved orchid-ice-cubes').waitFor()
    }
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const removed = page.getByRole('region', { name: 'Changes' })
    await removed.getByText('insights: 1 record removed').first().waitFor()
    await removed.getByRole('link', { name: 'orchid-ice-cubes, its requests' }).waitFor()
    assert.match(await record(), /"error":404/u)
    await page.getByRole('button', { name: 'Undo delete orchid-ice-cubes' }).click()
    await page.getByText('Undone: delete orchid-ice-cubes').waitFor()
    assert.equal(await record(), before)
    // An undo while another record is shown changes only the one that was edited.
    await page.getByRole('link', { name: 'orchid-ice-cubes' }).first().click()
    await save()
    await page.getByRole('link', { name: 'pothos-cutting-bundle' }).click()
    await page.getByRole('heading', { name: 'pothos-cutting-bundle' }).waitFor()
    await page.getByRole('button', { name: 'Undo replace record orchid-ice-cubes' }).click()
    await page.getByText('Undone: replace record orchid-ice-cubes').waitFor()
    assert.match(await text.inputValue(), /"id": "pothos-cutting-bundle"/u)
    assert.equal(await record(), before)
    // Somebody else changes the record after the edit: the undo is stale.
    await page.getByRole('link', { name: 'orchid-ice-cubes' }).first().click()
    await save()
    await fetch(`${double.url}/insights/orchid-ice-cubes`, { method: 'DELETE', headers: asAda })
    await page.getByRole('button', { name: 'Undo replace record' }).click()
    await page.getByText('has changed since').waitFor()
    // It comes back as it was when it was deleted.
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await removed.getByText('insights: 1 record changed').waitFor()
    assert.match(await record(), /"content":"mine"/u)
    await removed.getByRole('button', { name: 'Take back orchid-ice-cubes' }).click()
    await page.getByText('Nothing changed since').waitFor()
    assert.equal(await record(), before)
    await page.getByRole('link', { name: 'Add a record' }).click()
    await page.getByText('New record of insights').waitFor()
    await text.fill('{ "content": "new" }')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'insight-1' }).waitFor()
    assert.match(page.url(), /record=insight-1/u)
    await page.getByLabel('Choose insight-1').check()
    await page.getByLabel('Choose orchid-ice-cubes').check()
    await page.getByRole('button', { name: 'Delete 2 records' }).click()
    await page.getByText('insights: 1 to 11').first().waitFor()
    const undo = page.getByRole('button', { name: 'Undo delete insight-1, orchid-ice-cubes' })
    await undo.waitFor()
    assert.equal(await bar(), barHeight)
    await page.setViewportSize({ width: 360, height: 780 })
    assert.ok(Number(await bar()) < 80)
    const words = undo.getByText('delete insight-1')
    assert.ok(Number((await words.boundingBox())?.width) > 60)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('More columns at the right').waitFor()
    await page.setViewportSize({ width: 1280, height: 720 })
    await undo.click()
    await page.getByText('insights: 1 to 13').first().waitFor()
    await removed.getByRole('button', { name: 'Delete insight-1' }).click()
    await removed.getByText('insights: 1 record added and removed').waitFor()
    await removed.getByRole('button', { name: 'Restore insight-1' }).click()
    for (const change of ['restore', 'delete', 'add record'])
      await page.getByRole('button', { name: `Undo ${change} insight-1` }).click()
    await page.getByText('Nothing changed since').waitFor()
  })
})

/** Filters requests, reloads, and follows a link of the coverage. */
export const filtering = withDouble(async (double, browser) => {
  await fill(double)
  await inPage(browser, `${double.url}/__admin/`, async (page) => {
    await page.getByText('3 requests').first().waitFor()
    await page.getByRole('button', { name: 'violations 1' }).click()
    await page.getByText('1 of 3 requests').first().waitFor()
    assert.match(page.url(), /kind=violations/u)
    await page.getByLabel('Text').fill('nothing')
    await page.getByText('None of 3 requests matches the filter').first().waitFor()
    await page.reload()
    await page.getByText('None of 3 requests matches the filter').first().waitFor()
    assert.equal(await page.getByLabel('Text').inputValue(), 'nothing')
    await page.goto(`${double.url}/__admin/#contract`)
    await page.getByRole('link', { name: /deleteInsight 204/u }).click()
    await page.getByText('1 of 3 requests').first().waitFor()
    assert.match(page.url(), /operation=deleteInsight&status=204/u)
  })
})

/** Adds faults of several kinds, and removes them. */
export const faults = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/__admin/#faults`, async (page) => {
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Operation').selectOption('deleteInsight')
    await page.getByRole('combobox', { name: 'Status, 200 to 599' }).fill('503')
    await page.getByLabel('Times').fill('many')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText(/times must be/u).waitFor()
    await page.getByLabel('Times').fill('2')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('Applied 0 of 2').waitFor()
    const { status } = await fetch(`${double.url}/insights/x`, { method: 'DELETE', headers: asAda })
    assert.equal(status, 503)
    await page.getByText('Applied 1 of 2').waitFor()
    await page.getByRole('button', { name: 'Remove fault-' }).first().click()
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Operation').selectOption('deleteInsight')
    await page.getByLabel('Caller').selectOption('grace')
    await page.getByLabel('If the path parameter id is').fill('pothos-cutting-bundle')
    await page.getByRole('textbox', { name: /^Headers/u }).fill('retry-after: 1')
    await page.getByRole('textbox', { name: /^Body/u }).fill('{ not json')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('The body is not JSON').waitFor()
    await page.getByRole('textbox', { name: /^Body/u }).fill('{ "error": 1, "message": "on purpose" }')
    await page.getByLabel('Times').fill('always')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('get the status of a success with the header Retry-After: 1, ').first().waitFor()
    await page.getByText('Applied 0 of all').waitFor()
    const options = { method: 'DELETE', headers: { authorization: 'Bearer grace-token' } }
    const hit = await fetch(`${double.url}/insights/pothos-cutting-bundle`, options)
    assert.equal(hit.headers.get('retry-after'), '1')
    assert.match(await hit.text(), /on purpose/u)
    await page.getByRole('button', { name: 'Remove fault-' }).click()
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Effect').selectOption('send the body slowly')
    await page.getByLabel('Delay of each part').fill('5')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('The next request gets the usual response, in parts, each after 5 ms').last().waitFor()
    await page.getByRole('button', { name: 'Remove fault-' }).click()
    await page.getByText('No faults').waitFor()
    // The first of the past ones is the last that was removed, as soon as their list has it.
    const past = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Repeat fault-' }) })
    await past.first().filter({ hasText: 'each after 5 ms' }).waitFor()
    await page.getByRole('button', { name: 'Repeat fault-' }).first().click()
    await page.getByRole('button', { name: 'Remove fault-' }).waitFor()
    // It stays until the edited one is added.
    await page.getByRole('button', { name: 'Edit fault-' }).first().click()
    await page.getByRole('heading', { name: 'Instead of fault-' }).waitFor()
    assert.equal((await double.faults()).length, 1)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'New fault' }).waitFor()
    await double.addFault({ chunkDelayMs: 9 })
    await page.getByRole('button', { name: 'Edit fault-' }).first().click()
    await page.getByLabel('Delay of each part').fill('7')
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('in parts, each after 7 ms').first().waitFor()
    await page.getByRole('heading', { name: 'New fault' }).waitFor()
    assert.deepEqual(pluck(await double.faults(), 'chunkDelayMs'), [9, 7])
    await double.clearFaults()
    // The same view switches variations.
    await fetch(`${double.url}/insights`, { headers: asAda })
    await page.getByText('Variations of responses, 0 on').click()
    await page.getByRole('button', { name: 'Vary order listInsights 200' }).click()
    await page.getByText('Variations of responses, 1 on').waitFor()
    await page.getByRole('link', { name: 'Applied 1 of 2, then removed' }).click()
    await page.getByText('1 of 3 requests.').first().waitFor()
    await page.goBack()
    const on = (await double.variations()).filter((each) => each.on)
    assert.deepEqual(pluck(on, 'unit'), ['order listInsights 200'])
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
      await page.getByRole('textbox', { name: /^Name of the fixture/u }).fill('mine')
      await page.getByRole('button', { name: 'Save as a file' }).click()
      assert.equal((await download).suggestedFilename(), 'mine.json')
      await writeFile(file, await readFile(await (await download).path()))
      await page.getByRole('button', { name: 'Save into the folder' }).click()
      await page.getByText('--fixtures-writable to allow it').waitFor()
      // The reset would discard changes.
      page.once('dialog', (dialog) => void dialog.dismiss())
      await page.getByRole('button', { name: 'Reset to empty' }).click()
      assert.equal((await double.state())['insights']?.length, 12)
      page.once('dialog', (dialog) => void dialog.accept())
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

/** Shows sandboxes, also a dropped one. */
export const sandboxes = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/sandboxes/gone/__admin/#fixtures`, async (page) => {
    await page.getByText('There is no sandbox gone').waitFor()
    await double.sandbox({ name: 'mine' })
    await page.goto(`${double.url}/__admin/#requests`)
    await page.getByRole('link', { name: 'mine live' }).click()
    await page.getByText('No requests since').first().waitFor()
    assert.match(page.url(), /run=mine/u)
    await fetch(`${double.url}/sandboxes/mine/insights`, { headers: asAda })
    await page.getByText('1 request.').first().waitFor()
    // The undo of one run is not offered in another.
    await fetch(`${double.url}/__admin/reset`, { method: 'POST' })
    await page.goto(`${double.url}/__admin/?again#fixtures?run=mine`)
    await page.getByRole('button', { name: 'Reset to empty' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Undo/u }).count(), 0)
    await fetch(`${double.url}/__admin/sandboxes/mine`, { method: 'DELETE' })
    await page.getByRole('combobox', { name: 'Run' }).getByText('mine ended').waitFor({ state: 'attached' })
    await page.goto(`${double.url}/__admin/#requests`)
    await page.getByRole('link', { name: 'mine ended' }).click()
    await page.getByText('1 request.').first().waitFor()
  })
})

/** Finds the request that broke the contract, of a test that has ended, by two clicks. */
export const runs = withDouble(async (double, browser) => {
  for (const limit of ['1', 'abc', '2']) {
    const sandbox = await double.sandbox({ title: `limit ${limit}` })
    await fetch(`${sandbox.url}/insights?limit=${limit}`, { headers: asAda })
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers: asAda })
    await sandbox.setResult(limit === 'abc' ? { outcome: 'failed', message: 'expected 2' } : { outcome: 'passed' })
    await sandbox.stop()
  }
  await inPage(browser, `${double.url}/__admin/`, async (page) => {
    const failed = page.getByRole('navigation', { name: 'Runs' }).getByRole('link').nth(1)
    assert.match((await failed.textContent()) ?? '', /^limit abcfailed, 2 requests, 1 violation/u)
    await failed.click()
    await page.getByText('failed: expected 2').waitFor()
    const row = page.getByRole('link', { name: /limit=abc/u })
    const place = await row.boundingBox()
    await row.click()
    await page.getByText('must be an integer from 1').first().waitFor()
    assert.deepEqual(await row.boundingBox(), place)
    // A run that has ended cannot be changed.
    for (const name of ['Replay', 'Delete all requests', 'Reset', 'Pause'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
    await page.getByRole('link', { name: /^ok 204 DELETE/u }).click()
    const changes = page.getByRole('region', { name: 'Changes', exact: true })
    await changes.getByText('"Monsteras are watered too often"').waitFor()
    await page.getByText('Response headers').scrollIntoViewIfNeeded()
    assert.ok(Number((await page.getByRole('button', { name: 'Close' }).boundingBox())?.y) > 0)
    assert.match(page.url(), /run=[\da-f]+&id=/u)
    await page.reload()
    await changes.getByText('"Monsteras are watered too often"').waitFor()
  })
})

/** Sends a request again as another caller, and makes the next one fail like it. */
export const nextSteps = withDouble(async (double, browser) => {
  const { headers } = await fetch(`${double.url}/insights?limit=abc`, { headers: asAda })
  await inPage(browser, `${double.url}/__admin/#requests?id=${headers.get('x-request-id') ?? ''}`, async (page) => {
    await page.getByLabel('Replay as').selectOption('without a token')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('The response is 401').waitFor()
    await page.goBack()
    await page.getByLabel('Replay as').selectOption('grace')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('The response is 400').waitFor()
    await page.locator('.entries a[aria-current=true]', { hasText: 'grace' }).waitFor()
    await page.getByRole('region', { name: 'Why' }).getByRole('definition').getByText('grace').waitFor()
    await page.getByRole('link', { name: 'Fail next like this' }).click()
    await page.getByText('The next request of listInsights by grace gets status 400').waitFor()
    await page.getByRole('combobox', { name: 'Status, 200 to 599' }).fill('503')
    await page.getByRole('textbox', { name: /^Body/u }).fill('')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('Applied 0 of 1').waitFor()
  })
  const { status } = await fetch(`${double.url}/insights`, { headers: { authorization: 'Bearer grace-token' } })
  assert.equal(status, 503)
})
