/** `npm run test:console`: the console and the API reference in a browser. Prints each check and its figures. */
import { errorMessage } from '#src/error-message.js'

import { startBrowser } from '../helpers/browser.js'
import { checks } from './all-checks.js'

const { browser, stop, why } = await startBrowser()
if (!browser) throw new Error(`No browser can start: ${why}`)

const only = process.argv.slice(2).join(' ')
let failed = 0
for (const [title, check] of checks.filter(([each]) => each.includes(only))) {
  const started = performance.now()
  const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`
  try {
    const figures = await check(browser)
    console.log(`ok    ${seconds()} ${title}${typeof figures === 'string' ? `: ${figures}` : ''}`)
  } catch (error) {
    failed++
    console.log(`FAIL  ${title}: ${errorMessage(error)}`)
  }
}
await stop()
process.exitCode = failed > 0 ? 1 : 0
