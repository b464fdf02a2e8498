import test from 'ava'

import { quickChecks } from './console/all-checks.js'
import { prepareBrowserTests } from './helpers/test-in-browser.js'

const testInBrowser = await prepareBrowserTests(test.serial)

for (const [title, check] of quickChecks)
  testInBrowser(title, async (t, browser) => {
    const figures = await check(browser)
    t.log(figures ?? 'no figures')
    t.pass()
  })
