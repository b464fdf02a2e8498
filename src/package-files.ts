/** The files of the package that a double uses by default. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packageFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The default contract of the service. */
export const defaultSpec = packageFile('spec/insights.yaml')

/** The default folder of fixtures. */
export const defaultFixtures = packageFile('fixtures')

/** The contract of the control plane, and its value as `npm run build` writes it. */
export const controlSpec = { file: packageFile('spec/control.yaml'), valueFile: packageFile('dist/control.json') }

/** The package's version. */
export const version = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}
