/** Runs axe on a page, and looks for a horizontal scroll bar. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import type { Page } from 'playwright-core'

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rules of WCAG 2.0 to 2.2, levels A and AA. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Returns the violations that axe finds: the rule and the elements. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource)
  const script = `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`
  return page.evaluate<readonly string[]>(script)
}

/** Returns by how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
