/** Checks that the pages show changes of the double. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

import { startDouble } from 'insights-double'

import { freePort } from '../helpers/port.js'
import { listAtRate, traceTasks } from './measure-under-load.js'
import { openPage } from './open-page.js'
import { asAda, type Check, fill, inPage, withDouble } from './with-double.js'

/** Requests per second, and seconds. */
const [perSecond, seconds] = [1000, 5]

/** Selects a request, and sends thousands more. */
export const selectedStays = withDouble(async (double, browser) => {
  const id = await fill(double)
  return inPage(browser, `${double.url}/__admin/#requests?id=${id}`, async (page) => {
    await page.getByText('Request headers').waitFor()
    const longestTask = await traceTasks(page)
    await listAtRate(double, 500, 2)
    await page.getByRole('button', { name: /^Show 999 newer$/u }).waitFor()
    const rate = await listAtRate(double, perSecond, seconds)
    await page.getByRole('button', { name: /^Show 999 newer$/u }).waitFor()
    const row = page.locator('.entries a[aria-current=true]')
    assert.equal(await row.count(), 1)
    assert.ok(await row.isVisible())
    assert.match((await row.textContent()) ?? '', /limit=abc/u)
    await page.getByText('Request headers').waitFor()
    const figures = `${rate} requests a second, ${await longestTask()}`
    // The journal has dropped the entry: the list says so, and the request can still be read.
    await double.reset()
    await page.getByText('No requests since').first().waitFor()
    await page.getByText('The double has dropped this request.').waitFor()
    await page.getByText('Request headers').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Replay' }).count(), 0)
    return figures
  })
})

/** Sends requests while the pointer is on a row. */
export const nothingMoves = withDouble(async (double, browser) => {
  await fill(double)
  return inPage(browser, `${double.url}/__admin/`, async (page) => {
    const row = page.locator('.entries a').first()
    await row.hover()
    const place = await row.boundingBox()
    await listAtRate(double, 50, 1)
    await page.getByRole('button', { name: /^Show 50 newer$/u }).waitFor()
    assert.deepEqual(await row.boundingBox(), place)
    assert.match((await row.textContent()) ?? '', /DELETE/u)
  })
})

/** Opens a request, sends more than the journal keeps, and shows the newer ones while the request is open. */
export const newerAreShown = withDouble(async (double, browser) => {
  await listAtRate(double, 10, 1)
  return inPage(browser, `${double.url}/__admin/`, async (page) => {
    const rows = page.locator('.entries a')
    await rows.first().click()
    await page.getByText('Request headers').waitFor()
    await listAtRate(double, 600, 2)
    await page.getByText('The double has dropped this request.').waitFor()
    await page.getByRole('button', { name: /^Show [\d,]+ newer$/u }).click()
    await page.getByRole('button', { name: 'Show 50 more' }).waitFor()
    assert.equal(await rows.count(), 50)
  })
})

/** Pauses the page while a sandbox is live, sends requests, and leaves the list by the pointer. Every way to new data respects the pause. */
export const paused = withDouble(async (double, browser) => {
  await fill(double)
  await double.sandbox({ title: 'goes on' })
  return inPage(browser, `${double.url}/__admin/`, async (page, { requested }) => {
    const rows = page.locator('.entries a')
    await rows.nth(1).waitFor()
    await page.getByRole('link', { name: 'goes on' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('#mode', { hasText: 'paused' }).waitFor()
    const shown = await rows.allTextContents()
    await listAtRate(double, 50, 1)
    await rows.first().hover()
    await page.getByRole('heading', { level: 1 }).hover()
    const before = requested.length
    // The list of runs is requested every two seconds.
    await wait(2500)
    assert.equal(requested.length, before)
    assert.deepEqual(await rows.allTextContents(), shown)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page
      .getByText(`${shown.length + 50} requests.`)
      .first()
      .waitFor()
  })
})

/** Sends thousands of requests while the list is open. */
export const listFollows = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/`, async (page) => {
    await page.getByText('No requests since').first().waitFor()
    const longestTask = await traceTasks(page)
    const rate = await listAtRate(double, perSecond, seconds)
    await page
      .getByText(/^1,000 requests\. 4,000 older ones were dropped\.$/u)
      .first()
      .waitFor()
    return `${rate} requests a second, ${await longestTask()}`
  }),
)

/** Stops the double of an open page, and starts another on its port. */
export const restart: Check = async (browser) => {
  const port = await freePort()
  const first = await startDouble({ port })
  const session = await openPage(browser, `${first.url}/__admin/`)
  await session.page.locator('#mode', { hasText: 'live' }).waitFor()
  await first.stop()
  await session.page.getByText('connection lost').waitFor()
  const second = await startDouble({ port })
  await session.page.locator('#mode', { hasText: 'live' }).waitFor()
  await fetch(`${second.url}/insights`, { headers: asAda })
  await session.page.getByText('1 request.').first().waitFor()
  await session.page.context().close()
  await second.stop()
}

/** Sets the clock of an open page one hour ahead. */
export const sleeping = withDouble(async (double, browser) => {
  const session = await openPage(browser, 'about:blank')
  const { page } = session
  await page.clock.install()
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/events')) streams.push(request.url())
  })
  await page.goto(`${double.url}/__admin/`)
  await page.locator('#mode', { hasText: 'live' }).waitFor()
  assert.equal(streams.length, 1)
  // One hour passes at once, as on a computer that was asleep.
  await page.clock.fastForward('01:00:00')
  for (let tries = 0; streams.length < 2 && tries < 100; tries++) {
    await page.clock.runFor(1000)
    await wait(20)
  }
  assert.ok(streams.length >= 2, 'the page connects again')
  await fetch(`${double.url}/insights`, { headers: asAda })
  for (let tries = 0; (await page.getByText('1 request.').first().count()) === 0 && tries < 200; tries++) {
    await page.clock.runFor(500)
    await wait(20)
  }
  assert.equal(await page.getByText('1 request.').first().count(), 1)
  await page.context().close()
})

/** Counts the requests of an idle page. */
export const idle = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/`, async (page, { requested }) => {
    await page.getByText('No requests since').first().waitFor()
    await page.locator('#mode', { hasText: 'live' }).waitFor()
    await wait(1500)
    const before = requested.length
    await wait(20_000)
    assert.equal(requested.length, before)
    return '0 requests in 20 seconds; the stream sends 15 bytes every 15 seconds'
  }),
)
