/** `npm run screenshots`: takes the screenshots of `docs/` from a double with the default fixture. */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { startDouble } from 'insights-double'

import { startBrowser } from '../helpers/browser.js'
import { openPage } from './open-page.js'

const folder = fileURLToPath(new URL('../../../docs/', import.meta.url))
const asAda = { authorization: 'Bearer ada-token' }

const { browser, stop, why } = await startBrowser()
if (!browser) throw new Error(`No browser can start: ${why}`)
await mkdir(folder, { recursive: true })
const double = await startDouble()
const send = (path: string, method = 'GET'): Promise<Response> =>
  fetch(`${double.url}${path}`, { method, headers: asAda })

for (const limit of [3, 5, 2]) await send(`/insights?limit=${limit}`)
await send('/insights/monstera-watering', 'DELETE')
await send('/insights/monstera-watering', 'DELETE')
await double.addFault({ operation: 'listInsights', status: 500 })
await send('/insights')
const { headers } = await send('/insights?limit=abc')
await fetch(`${double.url}/__admin/record?collection=insights&key=orchid-ice-cubes`, {
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ id: 'orchid-ice-cubes', title: 'Orchids and ice cubes', content: 'The sticker is gone.' }),
})

const views = [
  { name: 'requests', path: `#requests?id=${headers.get('x-request-id') ?? ''}`, text: 'Request headers' },
  { name: 'state', path: '#state?record=orchid-ice-cubes', text: 'The sticker is gone' },
  { name: 'contract', path: '#contract', text: 'documented statuses were sent' },
]
for (const colorScheme of ['light', 'dark'] as const)
  for (const { name, path, text } of views) {
    const viewport = { width: 1100, height: 640 }
    const { close, page } = await openPage(browser, `${double.url}/__admin/${path}`, { colorScheme, viewport })
    await page.getByText(text).first().waitFor()
    await page.locator('#mode', { hasText: 'live' }).waitFor()
    await page.screenshot({ path: `${folder}console-${name}-${colorScheme}.png` })
    await close()
  }
await double.stop()
await stop()
