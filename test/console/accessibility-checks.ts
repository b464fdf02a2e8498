/** Checks of WCAG: the rules of axe in every state, and that no page scrolls sideways. */
import assert from 'node:assert/strict'

import type { BrowserContextOptions, Page } from 'playwright-core'

import { type PageState, pageStates } from './page-states.js'
import { runAxe } from './run-axe.js'
import { type Check, fill, inPage, withDouble } from './with-double.js'

/** Opens each state, and runs something in it. @returns The number of states, and the findings. None may be a problem. */
const inEachState = (
  options: BrowserContextOptions,
  run: (page: Page, state: PageState) => Promise<{ readonly problems: readonly string[]; readonly note?: string }>,
): Check =>
  withDouble(async (double, browser) => {
    const states = pageStates(await fill(double))
    const problems: string[] = []
    const notes: string[] = []
    for (const state of states)
      await inPage(
        browser,
        `${double.url}/__admin/${state.path}`,
        async (page) => {
          await state.reach(page).catch((error: unknown) => assert.fail(`${state.title}: ${String(error)}`))
          const found = await run(page, state)
          problems.push(...found.problems.map((problem) => `${state.title}: ${problem}`))
          if (found.note !== undefined) notes.push(`${state.title}: ${found.note}`)
        },
        options,
      )
    assert.deepEqual(problems, [])
    return [`${states.length} states`, ...notes].join('\n        ')
  })

/** Checks that no state violates WCAG, and that nothing moves. */
export const accessible = (colorScheme: 'dark' | 'light'): Check =>
  inEachState({ colorScheme, reducedMotion: 'reduce' }, async (page, { broken = [] }) => {
    const { kept, undecided, violations } = await runAxe(page)
    const unexpected = violations.filter((violation) => !broken.some((rule) => violation.startsWith(`${rule} at `)))
    const moving = (await page.evaluate<boolean>(isMoving)) ? ['something moves'] : []
    const note = `${kept} rules satisfied, ${violations.length} violations, undecided: ${undecided.join(', ') || 'none'}`
    return { problems: [...unexpected, ...moving], note }
  })

/** Tells whether an element would move or fade although the user prefers reduced motion. */
const isMoving = `[...document.querySelectorAll('*')].some((element) => {
  const { animationName, scrollBehavior, transitionDuration } = getComputedStyle(element)
  return animationName !== 'none' || scrollBehavior === 'smooth' || transitionDuration.split(', ').some((each) => each !== '0s')
})`

/** Checks that the user sees without colours which entries, views and buttons are chosen. */
export const forcedColors: Check = withDouble(async (double, browser) => {
  const url = `${double.url}/__admin/#requests?kind=violations&id=${await fill(double)}`
  const check = async (page: Page): Promise<void> => {
    await page.getByText('Request headers').waitFor()
    for (const list of ['.entries', '.runs', '.views', '[aria-label=Kinds]']) {
      const [chosen = [], others = []] = await page.evaluate<readonly (readonly string[])[]>(
        `[${JSON.stringify(chosenIn)}, ${JSON.stringify(othersIn)}].map((each) =>
          [...document.querySelectorAll('${list} ' + each)].map((element) => {
            const style = getComputedStyle(element)
            const colors = ['left', 'bottom'].map((side) => style['border-' + side + '-width'] !== '0px' && style['border-' + side + '-color'])
            return [style.fontWeight, ...colors].join()
          }))`,
      )
      assert.equal(chosen.length, 1, list)
      assert.ok(!others.includes(chosen[0] ?? ''), list)
    }
  }
  return inPage(browser, url, check, { forcedColors: 'active' })
})

const chosenIn = ":is([aria-current], [aria-pressed='true'])"
const othersIn = ":is(a:not([aria-current]), [aria-pressed='false'])"

/** Checks that no page is wider than its window. */
export const narrow = (title: string, width: number, deviceScaleFactor: number): readonly [string, Check] => [
  `no page scrolls sideways at ${title}`,
  inEachState({ viewport: { width, height: 700 }, deviceScaleFactor }, async (page) => {
    const overflow = await page.evaluate<number>(overflowOf)
    return { problems: overflow > 0 ? [`${overflow} px too wide`] : [] }
  }),
]

/** By how many pixels the page is wider than its window. */
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
