/** Checks of the keyboard: it reaches everything, and no action moves the focus to another place. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

import type { Page } from 'playwright-core'

import { fill, inPage, withDouble } from './with-double.js'

/** Returns the label or text of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    "document.activeElement === document.body ? 'nothing' : (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)",
  )

/** Waits until an element with this label or text has the focus. The policy of the page forbids `waitForFunction`. */
async function hasFocus(page: Page, text: RegExp): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (text.test(await focused(page))) return
    await wait(100)
  }
  assert.fail(`${String(text)} has no focus, but ${await focused(page)}`)
}

/** Presses Tab until an element with this label or text has the focus. */
async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    if (text.test(await focused(page))) return
  }
  assert.fail(`Tab does not reach ${String(text)}`)
}

/** Presses a key, and waits until an element with this label or text has the focus. */
async function press(page: Page, key: string, text: RegExp): Promise<void> {
  await page.keyboard.press(key)
  await hasFocus(page, text)
}

/** Selects and closes a request. */
export const requests = withDouble(async (double, browser) => {
  await fill(double)
  return inPage(browser, `${double.url}/__admin/`, async (page) => {
    await page.getByText('3 requests').first().waitFor()
    await press(page, 'Tab', /^Skip to the content$/u)
    await page.keyboard.press('Enter')
    await tabTo(page, /DELETE/u)
    await press(page, 'Tab', /limit=abc/u)
    await press(page, 'Enter', /^GET \/insights\?limit=abc$/u)
    await page.getByText('Request headers').waitFor()
    await tabTo(page, /^curl$/u)
    await press(page, 'Escape', /limit=abc.*ada/u)
    assert.equal(await page.getByText('Request headers').count(), 0)
    await press(page, 'Tab', /GET \/insightsada/u)
    // A request that was sent again is in the list only later.
    await press(page, 'Enter', /^GET \/insights$/u)
    await page.getByRole('button', { name: 'Replay' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Replayed.').waitFor()
    await press(page, 'Escape', /GET \/insightsada/u)
  })
})

/** Deletes, sorts and adds records: the focus goes to Undo and from it to the title, stays at the heading, and goes to the editor. */
export const records = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/#state`, async (page) => {
    await page.getByText('insights: 1 to 12').first().waitFor()
    for (const box of await page.getByRole('checkbox', { name: /^Choose (?!all)/u }).all()) await box.check()
    await page.getByRole('button', { name: 'Delete 12 records' }).focus()
    await press(page, 'Enter', /^Undo delete of 12 records$/u)
    await press(page, 'Enter', /^State$/u)
    await page.getByText('insights: 1 to 12').first().waitFor()
    await tabTo(page, /^Sort by title, ascending/u)
    await press(page, 'Enter', /^Sort by title, descending/u)
    await page.getByRole('link', { name: 'Add a record' }).focus()
    await press(page, 'Enter', /^New record/u)
    // The example of the record is read first.
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await tabTo(page, /^Save$/u)
    await press(page, 'Enter', /^insight-1$/u)
  }),
)

/** Goes from the pages of the reference into it. */
export const reference = withDouble(async (double, browser) =>
  inPage(browser, `${double.url}/__admin/docs`, async (page) => {
    await page.locator('.operations-root').waitFor()
    await page.getByRole('link', { name: 'Control (YAML)' }).focus()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.localName'), 'rapi-doc')
  }),
)

/** Removes what has the focus: what is next to it gets it, or the title above. */
export const removed = withDouble(async (double, browser) => {
  await fill(double)
  return inPage(browser, `${double.url}/__admin/#faults`, async (page) => {
    await page.getByText('Applied 0 of 3').waitFor()
    await tabTo(page, /^Remove fault/u)
    await press(page, 'Enter', /^Active faults$/u)
    await page.getByRole('status').getByText('Removed fault-1.').waitFor()
    await page.goto(`${double.url}/__admin/#state?record=calathea-frost-damage`)
    await page.getByRole('link', { name: 'calathea-frost-damage' }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).focus()
    await press(page, 'Enter', /^Choose low-light-plants-january$/u)
    await page.getByRole('status').getByText('Deleted calathea-frost-damage.').waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Delete 1 record' }).focus()
    await press(page, 'Enter', /^Undo delete low-light/u)
    // Another Enter does not undo the change before.
    await press(page, 'Enter', /^State$/u)
    await page.keyboard.press('Enter')
    for (const name of [/^Undo delete calathea/u, /^Undo add record/u, /^Undo replace record/u]) {
      await page.getByRole('button', { name }).focus()
      await press(page, 'Enter', /^State$/u)
    }
    await page.goto(`${double.url}/__admin/#fixtures?run=checkout-tests`)
    await page.getByRole('button', { name: 'Reset to default' }).focus()
    await fetch(`${double.url}/__admin/sandboxes/checkout-tests`, { method: 'DELETE' })
    await hasFocus(page, /^Fixtures$/u)
  })
})
