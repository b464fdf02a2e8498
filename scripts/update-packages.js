/**
 * Updates the pinned versions to the newest ones, except those that CONTRIBUTING.md gives a reason to keep.
 *
 * Usage: npm run update
 */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Packages that stay as they are; CONTRIBUTING.md, "Packages", says why. */
const kept = new Set([
  '@faker-js/faker',
  '@stoplight/http-spec',
  '@stoplight/prism-core',
  '@stoplight/prism-http',
  '@types/node',
  'ajv',
  'ava',
  'http-proxy-agent',
  'https-proxy-agent',
  'json-schema-faker',
  'jsonc-parser',
])

const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'))
for (const [kind, flag] of [
  ['dependencies', '--save-prod'],
  ['devDependencies', '--save-dev'],
]) {
  const names = Object.keys(manifest[kind]).filter((name) => !kept.has(name))
  const words = ['install', '--save-exact', flag, ...names.map((name) => `${name}@latest`)]
  execFileSync('npm', words, { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' })
}
