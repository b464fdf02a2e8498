import test from 'ava'

import { prepareBrowserTests } from '../helpers/test-in-browser.js'
import type { Checks } from './with-double.js'

/** Declares a test for each check of the console, one after the other. The log of a test has the figures of its check. */
export async function declareChecks(checks: Checks): Promise<void> {
  const testInBrowser = await prepareBrowserTests(test.serial)
  for (const [title, check] of checks)
    testInBrowser(title, async (t, browser) => {
      t.log((await check(browser)) ?? 'no figures')
      t.pass()
    })
}
