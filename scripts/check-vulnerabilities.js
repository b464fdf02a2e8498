/** Fails if the registry knows a vulnerability of a package in the bundle. Where the registry does not answer, it says so and passes. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)
const { components } = JSON.parse(await readFile(join(root, 'bundle/sbom.cdx.json'), 'utf8'))
const bundled = new Set(components.map(({ name }) => name))

// It exits with 1 if it finds one, so only the output counts.
const output = await new Promise((resolve) => {
  execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: root, timeout: 60_000 }, (_, stdout) => resolve(stdout))
})
const { vulnerabilities } = JSON.parse(output || '{}')
const found = Object.values(vulnerabilities ?? {}).filter(({ name }) => bundled.has(name))
for (const { name, range, severity, via } of found)
  console.error(`${name} ${range}: ${severity}: ${via.map((each) => each.title ?? each).join('; ')}`)
if (found.length > 0) process.exitCode = 1
else if (vulnerabilities) console.log(`No known vulnerability in ${bundled.size} bundled packages.`)
else console.log('Vulnerabilities were not checked: the registry does not answer.')
