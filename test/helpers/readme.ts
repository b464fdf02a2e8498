/** The code blocks of the README. `readme.test.ts` fails if a block is missing here, or if no test uses it. */
import { blocksOf, readReadme } from './read-markdown.js'

/** The first characters of each. */
export const readmeBlocks = {
  start: 'npm ci\n',
  ready: 'Insights double ready',
  list: 'curl -H "Authorization',
  listed: '[{"id":',
  delete: 'curl -i -X DELETE',
  error: '{"error":',
  explain: 'npx insights-double explain',
  explained: 'operation  ',
  greenhouse: '{ "$schema": "plants',
  overlay: 'overlay: 1.0.0',
  handlers: 'export const waterPlant',
  typed: "import type { Handlers } from 'insights-double'",
  plants: 'npx insights-double schema',
  fixture: '{\n  "$schema"',
  mine: 'curl http://127.0.0.1:4010/__admin/state',
  vitest: 'import { doubleFixtures, type DoubleFixtures }',
  jest: 'const { withSandbox } = require',
  playwright: "import { test as base, expect } from '@playwright/test'",
  ci: 'npx insights-double run',
  vite: "import { defineConfig } from 'vite'",
  shell: 'url=http://127.0.0.1:4010\n',
} as const

export type BlockName = keyof typeof readmeBlocks

/** Returns the text of a block of the README. @throws {Error} The README has no such block, or several. */
export async function readmeBlock(name: BlockName): Promise<string> {
  const found = blocksOf(await readReadme()).filter(({ text }) => text.startsWith(readmeBlocks[name]))
  const [block] = found
  if (!block || found.length > 1) throw new Error(`${found.length} blocks of the README are "${name}", not 1`)
  return block.text
}

/** Replaces the port in a text of the README with that of a double. */
export const atUrl = (text: string, url: string): string => text.replaceAll('http://127.0.0.1:4010', url)
