/** The checks of `npm run test:console`. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import type { DoubleHandle, DoubleOptions } from 'insights-double'
import { startDouble } from 'insights-double'
import type { Browser, Page } from 'playwright-core'

import { axeViolations, overflowOf } from './accessibility.js'
import type { Session } from './session.js'
import { openPage } from './session.js'
import { pageStates } from './states.js'

/** Checks something, and returns its figures. */
type Check = (browser: Browser) => Promise<string | undefined>

const asAda = { authorization: 'Bearer ada-token' }

/** Starts a double for a check. It stops afterwards. */
const withDouble =
  (run: (double: DoubleHandle, browser: Browser) => Promise<string | undefined>, options: DoubleOptions = {}): Check =>
  async (browser) => {
    const double = await startDouble(options)
    try {
      return await run(double, browser)
    } finally {
      await double.stop()
    }
  }

/** Opens a page of a double, runs something in it, and closes it. */
async function inPage<T>(
  browser: Browser,
  url: string,
  run: (page: Page, session: Session) => Promise<T>,
  options: Parameters<typeof openPage>[2] = {},
): Promise<T> {
  const session = await openPage(browser, url, options)
  const result = await run(session.page, session)
  await session.close()
  return result
}

/** Sends the requests that the states show. @returns The id of one that breaks the contract. */
async function fill(double: DoubleHandle): Promise<string> {
  await fetch(`${double.url}/insights`, { headers: asAda })
  const { headers } = await fetch(`${double.url}/insights?limit=abc`, { headers: asAda })
  await fetch(`${double.url}/insights/monstera-watering`, { method: 'DELETE', headers: asAda })
  await double.addFault({ operation: 'deleteInsight', status: 500, times: 3, skip: 2 })
  await double.sandbox({ name: 'checkout-tests' })
  return headers.get('x-request-id') ?? ''
}

const accessible = (colorScheme: 'dark' | 'light'): Check =>
  withDouble(async (double, browser) => {
    const states = pageStates(await fill(double))
    const violations: string[] = []
    for (const { path, reach, title } of states)
      await inPage(
        browser,
        `${double.url}/__admin/${path}`,
        async (page) => {
          await reach(page)
          for (const violation of await axeViolations(page)) violations.push(`${title}: ${violation}`)
        },
        { colorScheme, reducedMotion: 'reduce' },
      )
    assert.deepEqual(violations, [])
    return `${states.length} states, 0 violations`
  })

const narrow = (title: string, width: number, deviceScaleFactor: number): readonly [string, Check] => [
  `no page scrolls sideways at ${title}`,
  withDouble(async (double, browser) => {
    const states = pageStates(await fill(double))
    const wide: string[] = []
    for (const { path, reach, title: state } of states)
      await inPage(
        browser,
        `${double.url}/__admin/${path}`,
        async (page) => {
          await reach(page)
          const overflow = await overflowOf(page)
          if (overflow > 0) wide.push(`${state} by ${overflow} px`)
        },
        { viewport: { width, height: 700 }, deviceScaleFactor },
      )
    assert.deepEqual(wide, [])
    return `${states.length} states`
  }),
]

const selectedStays = withDouble(async (double, browser) => {
  const id = await fill(double)
  return inPage(browser, `${double.url}/__admin/#requests?id=${id}`, async (page) => {
    await page.getByText('Request headers').waitFor()
    await page.evaluate(`
      globalThis.longestTask = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration)
      }).observe({ type: 'longtask' })`)
    const started = performance.now()
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          (await fetch(`${double.url}/insights?limit=1`, { headers: asAda })).text(),
        ),
      )
    const rate = Math.round(1000 / ((performance.now() - started) / 1000))
    await page.getByRole('button', { name: /^Show 1,?000 newer$/u }).waitFor()
    const row = page.locator('.entries a[aria-current=true]')
    assert.equal(await row.count(), 1)
    assert.ok(await row.isVisible())
    assert.match((await row.textContent()) ?? '', /limit=abc/u)
    await page.getByText('Request headers').waitFor()
    const longest = await page.evaluate<number>('globalThis.longestTask')
    return `1,000 requests at ${rate} a second, longest task ${Math.round(longest)} ms`
  })
})

const listFollows = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/`, async (page) => {
    await page.getByText('No requests since').waitFor()
    await page.evaluate(`
      globalThis.longestTask = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration)
      }).observe({ type: 'longtask' })`)
    for (let round = 0; round < 60; round++)
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          (await fetch(`${double.url}/insights?limit=1`, { headers: asAda })).text(),
        ),
      )
    await page.getByText(/^1,000 requests\. 2,000 older ones were dropped\.$/u).waitFor()
    return `3,000 requests, longest task ${Math.round(await page.evaluate<number>('globalThis.longestTask'))} ms`
  }),
)

const tenThousand = withDouble(
  async (double, browser) => {
    const session = await openPage(browser, 'about:blank')
    const sizes: number[] = []
    session.page.on('response', (response) => {
      if (response.url().includes('/records?'))
        response.body().then(
          (body) => sizes.push(body.length),
          () => {},
        )
    })
    const { page } = session
    await page.goto(`${double.url}/__admin/#state`)
    await page.getByText('insights: 1 to 50 of 10,000 records').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('insights: 51 to 100').waitFor()
    await page.getByRole('button', { name: 'Sort by content' }).click()
    await page.getByText('insights: 1 to 50').waitFor()
    await page.getByLabel('Text').fill('number 9999 ')
    await page.getByText('1 that match').waitFor()
    await session.page.context().close()
    assert.ok(Math.max(...sizes) < 100_000, String(sizes))
    return `pages of ${sizes.map((size) => `${(size / 1000).toFixed(1)} kB`).join(', ')}`
  },
  {
    fixture: {
      $callers: { ada: { token: 'ada-token' } },
      insights: Array.from({ length: 10_000 }, (_, index) => ({
        content: `Record number ${index} ${'with a long text '.repeat(30)}`,
        title: `Title ${index}`,
      })),
    },
  },
)

const editing = withDouble(async (double, browser) => {
  const record = async (): Promise<string> =>
    (await fetch(`${double.url}/__admin/record?collection=insights&key=orchid-ice-cubes`)).text()
  const before = await record()
  await inPage(browser, `${double.url}/__admin/#state?record=orchid-ice-cubes`, async (page) => {
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Deleted orchid-ice-cubes').waitFor()
    assert.match(await record(), /"error":404/u)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('is back').waitFor()
    assert.equal(await record(), before)
    // Somebody else changes the record after the edit: the undo is stale.
    const text = page.getByLabel('JSON')
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
    await page.getByText('Removed insight-1 again').waitFor({ state: 'attached' })
  })
  return undefined
})

const filtering = withDouble(async (double, browser) => {
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
  return undefined
})

const faults = withDouble(async (double, browser) => {
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
    await page.getByRole('button', { name: 'End fault-' }).first().click()
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
    await page.getByRole('button', { name: 'End all' }).click()
    await page.getByText('No faults').waitFor()
    await page.getByLabel('Effect').selectOption('slow')
    await page.getByLabel('Delay of each part').fill('5')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('sends the body slowly, 5 ms').waitFor()
    await page.getByRole('button', { name: 'End all' }).click()
    await page.getByText('No faults').waitFor()
  })
  assert.deepEqual(await double.faults(), [])
  return undefined
})

const fixtures = withDouble(async (double, browser) => {
  await fill(double)
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-console-'))
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
  assert.equal((await saved.state())['insights']?.length, 11)
  await saved.stop()
  await rm(folder, { recursive: true })
  return undefined
})

const sandboxes = withDouble(async (double, browser) => {
  await inPage(browser, `${double.url}/sandboxes/gone/__admin/`, async (page) => {
    await page.getByText('There is no sandbox gone').waitFor()
    await page.getByLabel('Name').fill('not a name')
    await page.getByRole('button', { name: 'Open a sandbox' }).click()
    await page.getByText('must match').waitFor()
    await page.getByLabel('Name').fill('mine')
    await page.getByRole('button', { name: 'Open a sandbox' }).click()
    await page.getByRole('link', { name: 'mine' }).click()
    await page.getByText('No requests since').waitFor()
    await fetch(`${double.url}/sandboxes/mine/insights`, { headers: asAda })
    await page.getByText('1 request.').waitFor()
    await page.goto(`${double.url}/sandboxes/mine/__admin/#sandboxes`)
    await page.getByRole('button', { name: 'Drop mine' }).click()
    await page.waitForURL(/:\d+\/__admin\/#sandboxes$/u)
  })
  // The sandbox of an open page is dropped by somebody else.
  const dropped = await double.sandbox({ name: 'dropped' })
  await inPage(browser, `${dropped.url}/__admin/`, async (page) => {
    await page.getByText('No requests since').waitFor()
    await dropped.stop()
    await page.getByText('There is no sandbox dropped').waitFor()
    await page.getByRole('link', { name: 'Go to the sandboxes of the root' }).click()
    await page.getByText('cannot be dropped').waitFor()
  })
  return undefined
})

const restart: Check = async (browser) => {
  const first = await startDouble()
  const port = Number(new URL(first.url).port)
  const session = await openPage(browser, `${first.url}/__admin/`)
  await session.page.getByText('● live').waitFor()
  await first.stop()
  await session.page.getByText('connection lost').waitFor()
  const second = await startDouble({ port })
  await session.page.getByText('● live').waitFor()
  await fetch(`${second.url}/insights`, { headers: asAda })
  await session.page.getByText('1 request.').waitFor()
  await session.page.context().close()
  await second.stop()
  return undefined
}

const sleeping = withDouble(async (double, browser) => {
  const session = await openPage(browser, 'about:blank')
  const { page } = session
  await page.clock.install()
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/events')) streams.push(request.url())
  })
  await page.goto(`${double.url}/__admin/`)
  await page.getByText('● live').waitFor()
  assert.equal(streams.length, 1)
  // An hour passes at once, as for a computer that slept.
  await page.clock.fastForward('01:00:00')
  for (let tries = 0; streams.length < 2 && tries < 100; tries++) {
    await page.clock.runFor(1000)
    await wait(20)
  }
  assert.ok(streams.length >= 2, 'it connects again')
  await fetch(`${double.url}/insights`, { headers: asAda })
  for (let tries = 0; (await page.getByText('1 request.').count()) === 0 && tries < 200; tries++) {
    await page.clock.runFor(500)
    await wait(20)
  }
  assert.equal(await page.getByText('1 request.').count(), 1)
  await page.context().close()
  return undefined
})

const idle = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/`, async (page, { requested }) => {
    await page.getByText('No requests since').waitFor()
    await page.getByText('● live').waitFor()
    await wait(1500)
    const before = requested.length
    await wait(20_000)
    assert.equal(requested.length, before)
    return '0 requests in 20 seconds; the stream sends 15 bytes every 15 seconds'
  }),
)

const transfer = withDouble(async (double, browser) => {
  await fill(double)
  const sizes: string[] = []
  for (const path of ['#requests', '#state', '#faults', 'docs']) {
    const session = await openPage(browser, 'about:blank')
    let [assets, data] = [0, 0]
    session.page.on('response', (response) => {
      if (response.url().includes('/events')) return
      response.body().then(
        ({ length }) => {
          if (/assets|docs$|__admin\/$/u.test(response.url())) assets += length
          else data += length
          return length
        },
        () => 0,
      )
    })
    await session.page.goto(`${double.url}/__admin/${path}`)
    await session.page.waitForTimeout(1500)
    await session.page.context().close()
    sizes.push(`${path} ${(assets / 1000).toFixed(0)} kB of pages, ${(data / 1000).toFixed(1)} kB of data`)
  }
  return sizes.join('; ')
})

const tryIt = withDouble(async (double, browser) => {
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
    assert.match(await create.getByLabel('Body').inputValue(), /listInsights/u)
    await create.getByRole('button', { name: 'Send' }).click()
    await create.getByText('201 Created').waitFor()
  })
  assert.equal((await sandbox.requests({ operation: 'deleteInsight', status: 204 })).matched, 1)
  assert.equal((await double.requests()).matched, 0)
  assert.equal((await sandbox.faults()).length, 1)
  return undefined
})

/** Every check with its title, in the order in which they run. */
export const checks: readonly (readonly [title: string, check: Check])[] = [
  ['axe, light', accessible('light')],
  ['axe, dark', accessible('dark')],
  narrow('320 px', 320, 1),
  narrow('1280 px and 200 % zoom', 640, 2),
  ['a selected request stays selected and visible while a thousand more arrive', selectedStays],
  ['the list follows 3,000 requests', listFollows],
  ['10,000 records are paged, sorted and searched', tenThousand],
  ['records are deleted, put back, edited and added; a stale undo is refused', editing],
  ['filters are in the URL, and the coverage leads to requests', filtering],
  ['faults are added, counted and ended', faults],
  ['the state is saved as a fixture, and reset', fixtures],
  ['sandboxes are opened, shown and dropped; an unknown one leads back', sandboxes],
  ['the page is live again after a restart of the double', restart],
  ['the page is live again after an hour of sleep', sleeping],
  ['an idle page sends no request', idle],
  ['operations are tried in the selected sandbox', tryIt],
  ['transfer sizes', transfer],
]
