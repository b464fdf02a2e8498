import test, { type ExecutionContext, type Implementation } from 'ava'
import type { Browser } from 'playwright-core'

import { startBrowser } from './browser.js'

/**
 * Starts a browser for a test file, and stops it after the tests.
 *
 * @param declare - `test` or `test.serial`.
 * @returns A function that declares a test. If no browser can start, the test is skipped, and its title gives the reason.
 */
export async function prepareBrowserTests(
  declare: typeof test | typeof test.serial,
): Promise<(title: string, run: (t: ExecutionContext, browser: Browser) => Promise<void>) => void> {
  const { browser, stop, why } = await startBrowser()
  test.after.always(stop)
  return (title, run) => {
    const body: Implementation<[]> = async (t) => {
      if (browser) await run(t, browser)
    }
    if (browser) declare(title, body)
    else declare.skip(`${title} (no browser can start: ${why.split('\n')[0]})`, body)
  }
}
