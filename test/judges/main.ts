/**
 * Runs the workflows of the contract with Redocly Respect against a double. Prints the number of workflows, steps and checks, and what failed.
 * With `specmatic`, runs Specmatic, too.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'

import { startDouble } from 'insights-double'

import { packageFolder } from '../helpers/files.js'
import { print } from '../helpers/scripts.js'
import { runSpecmatic } from './specmatic.js'

await using double = await startDouble()
const redocly = join(packageFolder, 'node_modules/@redocly/cli/bin/cli.js')
const flags = ['--input', 'token=ada-token', '--server', `insights=${double.url}`]
const words = ['respect', 'spec/insights.arazzo.yaml', ...flags]
// Redocly sends usage data otherwise.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
const ended = await promisify(execFile)(process.execPath, [redocly, ...words], { cwd: packageFolder, env }).catch(
  (error: { readonly stdout: string; readonly stderr: string }) => error,
)
const lines = stripVTControlCharacters(ended.stdout + ended.stderr).split('\n')
for (const line of lines.filter((each) => /✗|(?:Workflows|Steps|Checks): \d/u.test(each))) print(line.trim())
if (ended instanceof Error || !lines.some((line) => line.includes('Workflows: 3 passed, 3 total'))) process.exitCode = 1
if (process.argv.includes('specmatic') && !(await runSpecmatic())) process.exitCode = 1
