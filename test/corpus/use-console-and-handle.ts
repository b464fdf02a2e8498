/** Uses the console, the API reference and the handle of a double of any contract. */
import assert from 'node:assert/strict'

import { connectDouble, type Explanation } from 'insights-double'
import type { Browser, Page } from 'playwright-core'

import { errorMessage } from '#src/error-message.js'

import { openPage } from '../console/open-page.js'

/** The views of the console, except those of a record or an entry. Each has a text that shows that it is loaded. */
const views = ['Requests', 'State', 'Faults', 'Contract', 'Fixtures']

/**
 * Opens every view of the console and of the reference, sends requests from the reference, and calls every method of the handle.
 *
 * @returns The failures: errors of the pages, requests to other hosts, views with an error message.
 */
export async function useConsoleAndHandle(
  browser: Browser,
  url: string,
  explanation: Explanation,
): Promise<readonly string[]> {
  const names = chosenNames(explanation)
  const problems: string[] = []
  const attempt = async (what: string, act: () => Promise<void>): Promise<void> => {
    await act().catch((error: unknown) => void problems.push(`${what}: ${errorMessage(error)}`))
  }
  const inPage = (path: string, act: (page: Page) => Promise<void>): Promise<void> =>
    attempt(path, async () => {
      const session = await openPage(browser, `${url}/__admin/${path}`)
      try {
        await act(session.page)
      } finally {
        await session.close()
      }
    })
  await inPage('docs', async (page) => useReference(page, names, explanation))
  await inPage('', async (page) => useConsole(page, names, explanation))
  await attempt('handle', async () => useHandle(url, names))
  return problems
}

/** Chooses operations: one without an operationId, one with a slash in it, one on a record, and the last one. */
function chosenNames({ operations }: Explanation): readonly string[] {
  const chosen = [
    operations.find(({ method, operation, path }) => operation === `${method} ${path}`),
    operations.find(({ operation }) => /^[^ ]+\/[^ ]+$/u.test(operation)),
    operations.find(({ path, role }) => role === 'read' && path.includes('{')),
    operations.at(-1),
  ]
  return [...new Set(chosen.flatMap((operation) => operation?.operation ?? []))]
}

async function useReference(page: Page, names: readonly string[], { operations }: Explanation): Promise<void> {
  const problem = page.locator('#problem:not([hidden])')
  const links = page.locator('.nav-bar-path')
  await links.or(problem).first().waitFor()
  if (await problem.isVisible()) throw new Error(await problem.innerText())
  for (const { method, operation, path } of operations.filter((each) => names.includes(each.operation))) {
    // RapiDoc replaces these characters in its names of operations.
    const name = `${method.toLowerCase()}-${path.replaceAll(/[\s#:?&={}]/gu, '-')}`
    assert.equal(await page.locator(`[id=${JSON.stringify(`link-${name}`)}]`).count(), 1, `${operation} has a link`)
    await page.evaluate(`location.hash = ${JSON.stringify(name)}`)
    await page.locator(`[id=${JSON.stringify(name)}]`).waitFor()
    for (const input of await page.locator('input[data-pname]').all())
      if ((await input.inputValue()) === '') await input.fill('1')
    await page.getByRole('button', { name: 'TRY', exact: true }).click()
    const message = page.locator('.response-message')
    await message.waitFor()
    assert.match(await message.innerText(), /[1-4]\d\d/u, `${operation} gets a response`)
  }
}

async function useConsole(page: Page, names: readonly string[], { collections }: Explanation): Promise<void> {
  const show = async (fragment: string, title: string, act?: () => Promise<void>): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
    await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor()
    await act?.()
    assert.equal(await page.getByRole('alert').count(), 0, `#${fragment} shows a problem`)
  }
  const textIs = async (text: RegExp | string): Promise<void> => page.getByText(text).first().waitFor()
  for (const title of views) await show(title.toLowerCase(), title)
  for (const name of names) {
    await show(`requests?operation=${encodeURIComponent(name)}`, 'Requests', async () => {
      await page.locator('.entries a').first().click()
      await textIs('Request headers')
      await page.getByRole('button', { name: 'curl', exact: true }).click()
      await page.getByRole('button', { name: 'Copy the request as curl' }).waitFor()
    })
    await show('faults', 'Faults', async () => {
      await page.getByLabel('Operation').selectOption(name)
      await page.getByRole('button', { name: 'Add fault' }).click()
      await textIs(/^Applied 0 of/u)
      await page.getByRole('button', { name: 'Remove fault' }).click()
    })
    await show('contract', 'Contract', async () => {
      await page.getByRole('searchbox', { name: 'Operation' }).fill(name)
      await textIs(name)
    })
  }
  for (const { name } of collections) {
    const fragment = `state?collection=${encodeURIComponent(name)}`
    const shown = page.getByText(`${name}: `).or(page.getByText(`${name} has no records`))
    await show(fragment, 'State', async () => shown.first().waitFor())
    const first = page.locator('table.records tbody a').first()
    if ((await first.count()) > 0) {
      await first.click()
      await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    }
    await show(`${fragment}&add=true`, 'State', async () => textIs(`New record of ${name}`))
  }
}

async function useHandle(url: string, names: readonly string[]): Promise<void> {
  const double = connectDouble(url)
  await double.health()
  await double.fixtures()
  await double.setState(await double.state())
  const sandbox = await double.sandbox()
  await sandbox.setState(await double.state())
  assert.deepEqual((await sandbox.diff()).collections, (await double.diff()).collections)
  await sandbox.stop()
  const rows = await double.coverage()
  for (const operation of names) {
    const isCovered = rows.some((row) => row.operation === operation)
    assert.ok(isCovered, `the coverage has ${operation}`)
    const { id } = await double.addFault({ operation, status: 503, times: 1 })
    await double.removeFault(id)
    const { entries } = await double.waitForRequests({ operation, atLeast: 1, withinMs: 1000 })
    for (const { id: request } of entries.slice(-1)) {
      await double.requestAs(request, 'curl')
      await double.requestAs(request, 'fetch')
      await double.request(request)
    }
  }
}
