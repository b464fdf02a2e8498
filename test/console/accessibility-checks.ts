/** Checks of WCAG: the rules of axe in every state, and that no page scrolls sideways. */
import assert from 'node:assert/strict'

import type { Page } from 'playwright-core'

import { pageStates } from './page-states.js'
import { runAxe } from './run-axe.js'
import { type Check, fill, inPage, withDouble } from './with-double.js'

/** Checks that no state violates WCAG, and that nothing moves. */
export const accessible = (colorScheme: 'dark' | 'light'): Check =>
  withDouble(async (double, browser) => {
    const violations: string[] = []
    const results: string[] = []
    for (const { broken = [], path, reach, title } of pageStates(await fill(double)))
      await inPage(
        browser,
        `${double.url}/__admin/${path}`,
        async (page) => {
          await reach(page)
          const found = await runAxe(page)
          for (const violation of found.violations)
            if (!broken.some((rule) => violation.startsWith(`${rule} at `))) violations.push(`${title}: ${violation}`)
          if (await page.evaluate<boolean>(isMoving)) violations.push(`${title}: something moves`)
          results.push(
            `${title}: ${found.kept} rules satisfied, ${found.violations.length} violations, undecided: ${found.undecided.join(', ') || 'none'}`,
          )
        },
        { colorScheme, reducedMotion: 'reduce' },
      )
    assert.deepEqual(violations, [])
    return ['', ...results].join('\n        ')
  })

/** Tells whether an element would move or fade although the user prefers reduced motion. */
const isMoving = `[...document.querySelectorAll('*')].some((element) => {
  const { animationName, scrollBehavior, transitionDuration } = getComputedStyle(element)
  return animationName !== 'none' || scrollBehavior === 'smooth' || transitionDuration.split(', ').some((each) => each !== '0s')
})`

/** Checks that no page is wider than its window. */
export const narrow = (title: string, width: number, deviceScaleFactor: number): readonly [string, Check] => [
  `no page scrolls sideways at ${title}`,
  withDouble(async (double, browser) => {
    const states = pageStates(await fill(double))
    const wide: string[] = []
    for (const { path, reach, title: state } of states)
      await inPage(
        browser,
        `${double.url}/__admin/${path}`,
        async (page) => {
          await reach(page)
          const overflow = await overflowOf(page)
          if (overflow > 0) wide.push(`${state} by ${overflow} px`)
        },
        { viewport: { width, height: 700 }, deviceScaleFactor },
      )
    assert.deepEqual(wide, [])
    return `${states.length} states`
  }),
]

/** Returns by how many pixels the page is wider than its window. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
