/** The states of the pages that axe and the layout checks use. */
import type { Page } from 'playwright-core'

export interface PageState {
  readonly title: string
  /** Below `/__admin/`. */
  readonly path: string
  /** Brings the page into the state, and waits for it. */
  readonly reach: (page: Page) => Promise<void>
  /** The rules of axe that the state may break. Default: none. */
  readonly broken?: readonly string[]
}

/** The rules of axe that RapiDoc breaks: it names no input and no landmark, and the keyboard cannot scroll a wide example. */
const rulesOfRapiDoc = ['label', 'landmark-unique', 'scrollable-region-focusable', 'select-name']

const shows =
  (text: RegExp | string): PageState['reach'] =>
  async (page) =>
    page.getByText(text).first().waitFor()

const clickThen =
  (name: string, text: RegExp | string, isExact = false): PageState['reach'] =>
  async (page) => {
    await page.getByRole('button', { name, exact: isExact }).first().click()
    await shows(text)(page)
  }

/** Saves a text as a record. */
const saveThen =
  (record: string, text: string): PageState['reach'] =>
  async (page) => {
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    await page.getByLabel('JSON').fill(record)
    await page.getByRole('button', { name: 'Save' }).click()
    await shows(text)(page)
  }

const calathea = '#state?record=calathea-frost-damage'
const checkout = '../sandboxes/checkout-tests/__admin/#requests'

/** The states. @param id - The id of a request that breaks the contract. */
export const pageStates = (id: string): readonly PageState[] => [
  { title: 'requests', path: '#requests', reach: shows('GET /insights?limit=abc') },
  { title: 'a request', path: `#requests?kind=violations&id=${id}`, reach: shows('Request headers') },
  { title: 'no requests', path: checkout, reach: shows('Send requests to this base URL') },
  { title: 'a request as curl', path: `#requests?id=${id}`, reach: clickThen('curl', 'Copy the request as curl') },
  { title: 'an unknown request', path: '#requests?id=none', reach: shows('There is no request') },
  { title: 'no request matches', path: '#requests?q=nothing-at-all', reach: shows(/^None of/u) },
  { title: 'state', path: '#state', reach: shows('insights: 1 to') },
  { title: 'state, sorted', path: '#state?sort=title&order=desc&q=plants', reach: shows('that match') },
  { title: 'state without a match', path: '#state?q=nothing-at-all', reach: shows(/^None of/u) },
  { title: 'an unknown collection', path: '#state?collection=none', reach: shows('There is no collection none') },
  {
    title: 'a record',
    path: calathea,
    reach: async (page) => page.getByRole('button', { name: 'Delete', exact: true }).waitFor(),
  },
  { title: 'an unknown record', path: '#state?record=none', reach: shows('insights has no record') },
  { title: 'a record that is not JSON', path: calathea, reach: saveThen('{', 'This is not JSON') },
  {
    title: 'a record that breaks the schema',
    path: calathea,
    reach: saveThen('{ "id": "calathea-frost-damage", "content": 3 }', 'content must be string'),
  },
  { title: 'a new record', path: '#state?add=true', reach: shows('From an example') },
  { title: 'faults', path: '#faults', reach: shows('Applied 0 of 3') },
  {
    title: 'a fault that is refused',
    path: '#faults',
    reach: async (page) => {
      await shows('Applied 0 of 3')(page)
      await page.getByLabel('Operation').selectOption('deleteInsight')
      await page.getByRole('textbox', { name: /^Headers/u }).fill('content-length: 3')
      await page.getByRole('button', { name: 'Add fault' }).click()
      await shows('cannot be set')(page)
    },
  },
  {
    title: 'paused',
    path: '#requests',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.locator('#mode', { hasText: 'paused' }).waitFor()
    },
  },
  { title: 'contract', path: '#contract', reach: shows('documented statuses were sent') },
  { title: 'fixtures', path: '#fixtures', reach: clickThen('Save as a file', 'Saved as') },
  { title: 'an unknown sandbox', path: '#requests?unknown=none', reach: shows('There is no sandbox none') },
  {
    title: 'the connection is lost',
    path: '#requests',
    reach: async (page) => {
      await page.route('**/events?*', async (route) => route.abort())
      await page.reload()
      await shows('connection lost')(page)
    },
  },
  {
    title: 'the page asks for the admin token',
    path: '#requests',
    reach: async (page) => {
      const refusal = { status: 401, json: { error: 401, message: 'No.' } }
      await page.route('**/collections', async (route) => route.fulfill(refusal))
      await page.reload()
      await page.getByLabel('Token').fill('not a token')
      await page.getByRole('button', { name: 'Enter' }).click()
      await shows('Enter the token')(page)
    },
  },
  ...['docs', 'docs#auth', 'docs?contract=control'].map((path) => ({
    title: `reference, ${path}`,
    path,
    reach: async (page: Page) => page.locator('.operations-root').waitFor(),
    broken: rulesOfRapiDoc,
  })),
  {
    title: 'reference, a response',
    path: 'docs#get-/insights',
    reach: async (page) => {
      await page.locator('[data-pname=limit]').fill('abc')
      await page.getByRole('button', { name: 'TRY', exact: true }).click()
      await page.locator('.response-message', { hasText: '400' }).waitFor()
    },
    broken: rulesOfRapiDoc,
  },
]
