/** A page of the console in a browser, and all errors in it. */
import assert from 'node:assert/strict'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** Time limit for a page to show something, in milliseconds. */
const patienceMs = 30_000

export interface Session {
  readonly page: Page
  /** Errors and warnings of the page, except for expected error responses. */
  readonly problems: readonly string[]
  readonly requested: readonly string[]
  /** Closes the page. Fails if the page had an error, or sent a request to another host. */
  close(): Promise<void>
}

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Session> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const problems: string[] = []
  const requested: string[] = []
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (!isRefusal && ['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => requested.push(request.url()))
  await page.goto(url)
  return {
    page,
    problems,
    requested,
    close: async () => {
      await context.close()
      assert.deepEqual(problems, [])
      const { host } = new URL(url)
      const foreign = requested.filter((each) => new URL(each).host !== host && !each.startsWith('blob:'))
      assert.deepEqual(foreign, [])
    },
  }
}
