/** The common parts of the console's checks: a double, a page, and requests to show. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type DoubleHandle, type DoubleOptions, type FixtureDocument, startDouble } from 'insights-double'
import type { Browser, Page } from 'playwright-core'

import { openPage, type Session } from './open-page.js'

/** A check, which returns its figures as text, if it has some. */
export type Check = (browser: Browser) => Promise<unknown>

/** Checks by title. */
export type Checks = readonly (readonly [title: string, check: Check])[]

export const asAda = { authorization: 'Bearer ada-token' }

/** Starts a double for a check. It stops afterwards. */
export const withDouble =
  (run: (double: DoubleHandle, browser: Browser) => Promise<unknown>, options: DoubleOptions = {}): Check =>
  async (browser) => {
    const double = await startDouble(options)
    try {
      return await run(double, browser)
    } finally {
      await double.stop()
    }
  }

/** Runs something with a folder, which is removed afterwards. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-console-'))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Starts a double of another contract for a check. @param contract - An OpenAPI document. @param handlers - The code of a file of handlers. */
export const withContract =
  (
    contract: object,
    fixture: FixtureDocument,
    run: (double: DoubleHandle, browser: Browser) => Promise<unknown>,
    handlers?: string,
  ): Check =>
  async (browser) =>
    withFolder(async (folder) => {
      const [spec, code] = [join(folder, 'contract.json'), join(folder, 'handlers.mjs')]
      await writeFile(spec, JSON.stringify(contract))
      if (handlers !== undefined) await writeFile(code, handlers)
      return withDouble(run, { spec, fixture, ...(handlers === undefined ? {} : { handlers: code }) })(browser)
    })

/** Opens a page of a double, runs something in it, and closes it. */
export async function inPage<T>(
  browser: Browser,
  url: string,
  run: (page: Page, session: Session) => Promise<T>,
  options: Parameters<typeof openPage>[2] = {},
): Promise<T> {
  const session = await openPage(browser, url, options)
  const result = await run(session.page, session)
  // The page may be waiting for a response of a route.
  await session.page.unrouteAll({ behavior: 'ignoreErrors' })
  await session.close()
  return result
}

/** Adds or replaces an insight by the control plane, like another user. */
export async function sendRecord(
  { url }: DoubleHandle,
  method: 'POST' | 'PUT',
  record: { readonly id: string; readonly content: string },
): Promise<void> {
  const path = method === 'POST' ? 'records?collection=insights' : `record?collection=insights&key=${record.id}`
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/__admin/${path}`, { method, headers, body: JSON.stringify(record) })
  if (!response.ok) throw new Error(await response.text())
}

/** Sends the requests that the states show. @returns The id of one that breaks the contract. */
export async function fill(double: DoubleHandle): Promise<string> {
  await fetch(`${double.url}/insights`, { headers: asAda })
  const { headers } = await fetch(`${double.url}/insights?limit=abc`, { headers: asAda })
  await fetch(`${double.url}/insights/monstera-watering`, { method: 'DELETE', headers: asAda })
  await double.addFault({ operation: 'deleteInsight', status: 500, times: 3, skip: 2 })
  await double.sandbox({ name: 'checkout-tests' })
  await sendRecord(double, 'PUT', { id: 'orchid-ice-cubes', content: 'The sticker is gone.' })
  await sendRecord(double, 'POST', { id: 'added-insight', content: 'Somebody added this.' })
  return headers.get('x-request-id') ?? ''
}
