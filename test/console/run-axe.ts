/** Runs axe on a page, with the rules of WCAG 2.0 to 2.2, levels A and AA, and the best practices. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import type { Page } from 'playwright-core'

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResult {
  /** The rules that were broken, each with the element. */
  readonly violations: readonly string[]
  /** The rules that axe could not decide. */
  readonly undecided: readonly string[]
  /** Number of rules that the page satisfies. */
  readonly kept: number
}

/** Makes the browser lay out also elements that are not in view. Else axe cannot check their colours. */
const layOutAll = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { content-visibility: visible !important }')
  document.adoptedStyleSheets = [sheet]
}`

export async function runAxe(page: Page): Promise<AxeResult> {
  await page.evaluate(layOutAll)
  await page.evaluate(axeSource)
  const script = `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ incomplete, passes, violations }) => ({
    kept: passes.length,
    undecided: incomplete.map(({ id }) => id),
    violations: violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)),
  }))`
  return page.evaluate<AxeResult>(script)
}
