/** The jobs that users do with the console, each as a list of steps, by pointer and by keyboard. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

import type { DoubleHandle } from 'insights-double'
import type { Locator, Page } from 'playwright-core'

import { asAda, type Check, type Checks, fill, inPage, withDouble } from './with-double.js'

/** A step: a link, a button or a box to press, or a field with the text to enter. */
interface Step {
  readonly role: 'button' | 'checkbox' | 'link' | 'textbox'
  readonly name: RegExp | string
  readonly text?: string
}

const link = (name: RegExp | string): Step => ({ role: 'link', name })
const button = (name: RegExp | string): Step => ({ role: 'button', name })

const box = (name: string): Step => ({ role: 'checkbox', name })
const field = (name: string, text: string): Step => ({ role: 'textbox', name, text })

const failed = link(/^deletes one failed/u)
const broken = link(/limit=abc/u)
const orchid = 'orchid-ice-cubes'
const edited = `{ "id": "${orchid}", "content": "mine" }`

/** The jobs: what the user wants, the steps from the first screen, and the text that says that it is done. */
const jobs: readonly (readonly [title: string, steps: readonly Step[], done: RegExp | string])[] = [
  ['find the test that broke the contract', [failed, broken], 'must be an integer from 1'],
  ['see the rule that a request broke', [failed, broken], /^by spec\/insights\.yaml, line/u],
  ['see what a request changed', [failed, link(/204 DELETE/u)], '"Monsteras are watered too often"'],
  ['see the role of an operation', [broken, link(/^listInsights$/u)], '1 of 2 operations are shown'],
  ['go to the line in the reference', [broken, link(/^contract, line/u)], /^Returns all insights from the system/u],
  ['send a request again', [broken, button('Replay')], 'The response is'],
  ['copy a request as a test', [broken, button('vitest')], "from 'insights-double/vitest'"],
  ['make the next request fail', [broken, link('Fail next like this'), button('Add fault')], 'Applied 0 of 1'],
  ['repeat a fault', [link('Faults'), button('Repeat fault-1')], 'Applied 0 of 1'],
  ['edit a record', [link('State'), link(orchid), field('JSON', edited), button('Save')], `Saved ${orchid}`],
  [
    'delete several records',
    [link('State'), box(`Choose ${orchid}`), box('Choose added-insight'), button('Delete 2 records')],
    'insights: 1 to 10 of 10 records',
  ],
  ['undo a change', [button('Undo add record added-insight')], 'Undone: add record added-insight'],
  ['restore a removed record', [link('State'), button('Restore monstera-watering')], '1 to 13 of 13 records'],
  ['reset the state', [button('Reset')], 'Reset to default: 12 insights'],
  ['reset to another fixture', [link('Reset to a fixture'), button('Reset to empty')], 'Reset to empty: 0 insights'],
  ['save the state as a file', [link('Fixtures'), button('Save as a file')], 'Saved as root-state.json'],
  ['see which statuses were sent', [link('Contract'), link(/deleteInsight 204/u)], '1 of 3 requests'],
]

/** Sends what the jobs start from: requests, changes, a consumed fault, and a test that has ended. */
async function prepare(double: DoubleHandle): Promise<void> {
  await double.addFault({ operation: 'listInsights', status: 503 })
  await fetch(`${double.url}/insights`, { headers: asAda })
  await double.clearRequests()
  await fill(double)
  await double.clearFaults()
  const sandbox = await double.sandbox({ title: 'deletes one' })
  await fetch(`${sandbox.url}/insights?limit=abc`, { headers: asAda })
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers: asAda })
  await sandbox.setResult({ outcome: 'failed' })
  await sandbox.stop()
}

type Do = (page: Page, target: Locator, step: Step) => Promise<void>

const byPointer: Do = async (_, target, { text }) => (text === undefined ? target.click() : target.fill(text))

const hasFocus = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) > 0

/** The focus is on what was pressed, on a title, or, if what was pressed is gone or disabled, on what can be pressed next. A new page has none. */
const isKept = `(({ activeElement: now, body }, isUsable) =>
  !window.pressed || now === window.pressed || now.matches('h2, h3') || (!isUsable(window.pressed) && now !== body && isUsable(now))
)(document, (element) => element.isConnected && element.ariaDisabled !== 'true')`

/** Goes to an element by Tab, and presses it. Then the focus is there, next to it, or on a title. */
const byKeyboard: Do = async (page, target, { name, role, text }) => {
  for (let presses = 0; !(await hasFocus(target)); presses++) {
    assert.ok(presses < 600, `the keyboard reaches ${String(name)}`)
    await page.keyboard.press('Tab')
  }
  // A press may change the label of a button, so the element is remembered.
  await page.evaluate('window.pressed = document.activeElement')
  if (text === undefined) await page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter')
  else {
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
  }
  for (let tries = 0; !(await page.evaluate<boolean>(isKept).catch(() => false)); tries++) {
    assert.ok(tries < 600, `after ${String(name)}, the focus is where it was, next to it, or on a title`)
    await wait(50)
  }
}

async function doJob(page: Page, [title, steps, done]: (typeof jobs)[number], act: Do): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept())
  for (const step of steps) {
    const target = page.getByRole(step.role, { name: step.name, exact: typeof step.name === 'string' }).first()
    await target.waitFor()
    await act(page, target, step)
  }
  await page.getByText(done).first().waitFor()
  assert.equal(await page.getByRole('alert').count(), 0, title)
}

/** Does each job on a double of its own. The figures are the numbers of steps. */
const doAll =
  (act: Do): Check =>
  async (browser) => {
    for (const job of jobs)
      await withDouble(async (double) => {
        await prepare(double)
        await inPage(browser, `${double.url}/__admin/`, async (page) => {
          await page.getByText('3 requests.').first().waitFor()
          await doJob(page, job, act)
        })
      })(browser)
    return jobs.map(([title, steps]) => `${title} ${steps.length}`).join(', ')
  }

export const jobChecks: Checks = [
  ['each job by pointer', doAll(byPointer)],
  ['each job by keyboard', doAll(byKeyboard)],
]
