/** The code of this file is one folder below the package's, as a module in `dist` and as a part of a bundle. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packageFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const defaultSpec = packageFile('spec/insights.yaml')

export const defaultFixtures = packageFile('fixtures')

export const controlSpec = packageFile('spec/control.yaml')

/** The values of both contracts as JSON, named by the hash of the YAML, as `npm run build` writes them. */
export const parsedYamlFolder = packageFile('bundle/parsed')

export const pagesFolder = packageFile('bundle/pages')

export const summaryFile = packageFile('docs/summary.md')

/** The file that the worker thread runs. */
export const workerFile = packageFile('bundle/worker.js')

/** The file that `insights-double run`, and `serve` with handlers, run in a separate process. */
export const doubleProcessFile = packageFile('bundle/double-process.js')

/** The file of the thread that ends that process when its parent has ended. */
export const watchdogFile = packageFile('bundle/watchdog.js')

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}
