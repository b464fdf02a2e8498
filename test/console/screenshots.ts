/** `npm run screenshots`: takes the screenshots of `docs/` from a double with the default fixture, and of the report of its run. */
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { startDouble } from 'insights-double'

import { startBrowser } from '../helpers/browser.js'
import { openPage } from './open-page.js'
import { asAda, sendRecord } from './with-double.js'

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url))

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
for (const limit of [3, 5, 2]) await send(`/insights?limit=${limit}`)
for (let times = 0; times < 2; times++) await send('/insights/monstera-watering', 'DELETE')
await double.addFault({ operation: 'listInsights', status: 500 })
await send('/insights')
await double.addFault({ operation: 'deleteInsight', status: 503, headers: { 'retry-after': '1' }, times: 2 })
const { headers } = await send('/insights?limit=abc')
await sendRecord(double, 'PUT', { id: 'orchid-ice-cubes', content: 'The sticker is gone.' })
await sendRecord(double, 'POST', { id: 'fern-mist', content: 'Nobody mists ferns.' })

const report = `${docs}run.html`
await writeFile(report, await (await send('/__admin/report')).text())
const views = [
  { name: 'requests', path: `#requests?id=${headers.get('x-request-id') ?? ''}`, text: 'Request headers' },
  { name: 'state', path: '#state?record=orchid-ice-cubes', text: /^Access$/u },
  { name: 'faults', path: '#faults', text: 'Applied 0 of 2' },
  { name: 'fixtures', path: '#fixtures', text: '(the current one)' },
  { name: 'contract', path: '#contract', text: /sent once/u },
  { name: 'report', path: '', text: 'deletes one' },
]
for (const [width, height] of [
  [1440, 810],
  [390, 780],
] as const)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const { name, path, text } of views) {
      const url = name === 'report' ? `file://${report}` : `${double.url}/__admin/${path}`
      const { close, page } = await openPage(browser, url, { colorScheme, viewport: { width, height } })
      await page.getByText(text).filter({ visible: true }).first().waitFor()
      await page.locator('#mode', { hasText: name === 'report' ? 'ended' : 'live' }).waitFor()
      await page.screenshot({ path: `${docs}console-${name}-${width}-${colorScheme}.png` })
      await close()
    }
await rm(report)
await double.stop()
await stop()
