/**
 * Checks that the product knows no service: no name of the Insights service is in `src`, apart from the name of the double itself,
 * the sandbox header, and the defaults among the options.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const allowed = /insights[- ]double|INSIGHTS_DOUBLE_(?:ADMIN_TOKEN|URL|VARY)|insights-sandbox/giu
const files = await readdir('src', { recursive: true, withFileTypes: true })
const found: string[] = []
for (const file of files.filter((entry) => entry.isFile())) {
  const path = join(file.parentPath, file.name)
  if (path === join('src', 'package-files.ts')) continue
  for (const [index, line] of (await readFile(path, 'utf8')).split('\n').entries())
    if (/insight/iu.test(line.replaceAll(allowed, ''))) found.push(`${path}:${index + 1}  ${line.trim()}`)
}
if (found.length > 0) {
  process.stderr.write(`src names the Insights service; the contract says what it is:\n${found.join('\n')}\n`)
  process.exitCode = 1
}
