/** `npm run screenshots`: takes a screenshot of each state of the pages, and of the report of a run, into `docs/console/`. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { startDouble } from 'insights-double'
import type { Page } from 'playwright-core'

import { startBrowser } from '../helpers/browser.js'
import { openPage } from './open-page.js'
import { pageStates } from './page-states.js'
import { asAda, fill } from './with-double.js'

const folder = fileURLToPath(new URL('../../../docs/console/', import.meta.url))

const { browser, stop, why } = await startBrowser()
if (!browser) throw new Error(`No browser can start: ${why}`)
const double = await startDouble()
const send = (path: string, method = 'GET', base = double.url): Promise<Response> =>
  fetch(`${base}${path}`, { method, headers: asAda })

const tests = [
  { title: 'deletes one', outcome: 'failed', limit: 'abc' },
  { title: 'lists the newest', outcome: 'passed', limit: '3' },
] as const
for (const { limit, outcome, title } of tests) {
  const sandbox = await double.sandbox({ title })
  await send(`/insights?limit=${limit}`, 'GET', sandbox.url)
  await send('/insights/monstera-watering', 'DELETE', sandbox.url)
  await sandbox.setResult({ outcome })
  await sandbox.stop()
}
await double.addFault({ operation: 'listInsights', status: 503, headers: { 'retry-after': '1' } })
for (const limit of [3, 5, 2]) await send(`/insights?limit=${limit}`)
const states = pageStates(await fill(double))
await rm(folder, { recursive: true, force: true })
await mkdir(folder)
const report = `${folder}run.html`
await writeFile(report, await (await send('/__admin/report')).text())

for (const [width, height] of [
  [1440, 810],
  [390, 780],
] as const)
  for (const colorScheme of ['light', 'dark'] as const) {
    const take = async (title: string, url: string, reach: (page: Page) => Promise<unknown>): Promise<void> => {
      const { close, page } = await openPage(browser, url, { colorScheme, viewport: { width, height } })
      await reach(page)
      const name = title.replaceAll(/\W+/gu, '-')
      await page.screenshot({ path: `${folder}${name}-${width}-${colorScheme}.png` })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await close()
    }
    for (const { path, reach, title } of states) await take(title, `${double.url}/__admin/${path}`, reach)
    await take('report', `file://${report}`, async (page) =>
      page.getByText('deletes one').filter({ visible: true }).first().waitFor(),
    )
  }
await rm(report)
await double.stop()
await stop()
