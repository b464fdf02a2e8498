/** The documents for users: the README, and the files of `docs/` that are written by hand. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { packageFolder, readPackageFile } from './files.js'
import { blocksOf } from './read-markdown.js'

/** The first characters of each code block. `documents.test.ts` fails if a block is missing here, or if no test uses it. */
export const documentBlocks = {
  start: 'npm ci\n',
  ready: 'Insights service 1.0.0 ready',
  list: 'curl -H "Authorization',
  listed: '[{"id":',
  delete: 'curl -i -X DELETE',
  error: '{"error":',
  serveShop: 'npx insights-double shop.yaml',
  shopReady: 'Shop 2.1.0 ready',
  explain: 'npx insights-double explain',
  explained: 'operation  ',
  greenhouse: '{ "$schema": "plants',
  overlay: 'overlay: 1.0.0',
  handlers: 'export const waterPlant',
  typed: "import type { Handlers } from 'insights-double'",
  plants: 'npx insights-double schema',
  fixture: '{\n  "$schema"',
  check: 'npx insights-double check --json',
  checked: '{\n  "files"',
  explainedJson: '{\n  "operation": "removePlant"',
  requestsJson: '{\n  "operation": "listPlants"',
  dockerBuild: 'docker build',
  dockerRun: 'docker run',
  mine: 'curl http://127.0.0.1:4010/__admin/state',
  vitest: 'import { doubleFixtures, type DoubleFixtures }',
  jest: 'const { withSandbox } = require',
  playwright: "import { test as base, expect } from '@playwright/test'",
  ci: 'npx insights-double run',
  vite: "import { defineConfig } from 'vite'",
  shell: 'url=http://127.0.0.1:4010\n',
} as const

export type BlockName = keyof typeof documentBlocks

/** Reads a file of `docs/`, by its name without `.md`. */
export const readDocument = (name: string): Promise<string> => readPackageFile(`docs/${name}.md`)

/** Lists the documents. The reports of `verify` are written by a command. */
export async function listDocuments(): Promise<readonly string[]> {
  const names = await readdir(join(packageFolder, 'docs'))
  return ['README.md', ...names.filter((name) => /^(?!verify-).*\.md$/u.test(name)).map((name) => `docs/${name}`)]
}

export async function allBlocks(): Promise<readonly string[]> {
  const texts = await Promise.all((await listDocuments()).map(readPackageFile))
  return texts.flatMap(blocksOf)
}

/** Returns the text of a code block. @throws {Error} The documents have no such block, or several. */
export async function documentBlock(name: BlockName): Promise<string> {
  const [block, ...others] = (await allBlocks()).filter((text) => text.startsWith(documentBlocks[name]))
  if (block === undefined || others.length > 0) throw new Error(`"${name}" is not exactly one block of the documents`)
  return block
}

/** Replaces the port in a text of the documents with that of a double. */
export const atUrl = (text: string, url: string): string => text.replaceAll('http://127.0.0.1:4010', url)
