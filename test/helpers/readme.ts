/** The code blocks of the README, and the test of each. `readme.test.ts` fails if a block is missing here. */
import { blocksOf, readReadme } from './read-markdown.js'

interface Account {
  /** The first characters of the block. */
  readonly begins: string
  /** The file under `test/` that runs or checks the whole block. */
  readonly by: string
}

/** The blocks of the README. */
export const readmeBlocks = {
  start: { begins: 'npm ci\n', by: 'readme-start.test.ts' },
  ready: { begins: 'Insights double ready', by: 'readme-start.test.ts' },
  list: { begins: 'curl -H "Authorization', by: 'readme-start.test.ts' },
  listed: { begins: '[{"id":', by: 'readme-start.test.ts' },
  delete: { begins: 'curl -i -X DELETE', by: 'readme-start.test.ts' },
  error: { begins: '{"error":', by: 'readme.test.ts' },
  explain: { begins: 'npx insights-double explain', by: 'readme-your-own-api.test.ts' },
  explained: { begins: 'operation  ', by: 'readme-your-own-api.test.ts' },
  greenhouse: { begins: '{ "$schema": "plants', by: 'readme-your-own-api.test.ts' },
  overlay: { begins: 'overlay: 1.0.0', by: 'readme-your-own-api.test.ts' },
  handlers: { begins: 'export const waterPlant', by: 'readme-your-own-api.test.ts' },
  typed: { begins: "import type { Handlers } from 'insights-double'", by: 'types.test.ts' },
  plants: { begins: 'npx insights-double schema', by: 'readme-your-own-api.test.ts' },
  fixture: { begins: '{\n  "$schema"', by: 'readme-fixtures.test.ts' },
  mine: { begins: 'curl http://127.0.0.1:4010/__admin/state', by: 'readme-fixtures.test.ts' },
  vitest: { begins: 'import { doubleFixtures, type DoubleFixtures }', by: 'readme-recipes.test.ts' },
  jest: { begins: 'const { withSandbox } = require', by: 'readme-recipes.test.ts' },
  playwright: { begins: "import { test as base, expect } from '@playwright/test'", by: 'readme-recipes.test.ts' },
  ci: { begins: 'npx insights-double run', by: 'readme-recipes.test.ts' },
  vite: { begins: "import { defineConfig } from 'vite'", by: 'readme-recipes.test.ts' },
  shell: { begins: 'url=http://127.0.0.1:4010\n', by: 'readme-recipes.test.ts' },
} as const satisfies Record<string, Account>

/** Returns the name of a block. */
export type BlockName = keyof typeof readmeBlocks

/** Returns the text of a block of the README. @throws {Error} The README has no such block, or several. */
export async function readmeBlock(name: BlockName): Promise<string> {
  const found = blocksOf(await readReadme()).filter(({ text }) => text.startsWith(readmeBlocks[name].begins))
  const [block] = found
  if (!block || found.length > 1) throw new Error(`${found.length} blocks of the README are "${name}", not 1`)
  return block.text
}

/** Replaces the port in a text of the README with that of a double. */
export const atUrl = (text: string, url: string): string => text.replaceAll('http://127.0.0.1:4010', url)
