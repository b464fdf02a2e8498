/** Changes a test while Vitest watches it: each run uses the same double, and leaves no sandbox. */
import { spawn } from 'node:child_process'
import { appendFile } from 'node:fs/promises'

import { startDouble } from 'insights-double'

const double = await startDouble()
const vitest = spawn('npx', ['vitest', '--watch', '--test-timeout', '60000', 'insights.test.ts'], {
  detached: true,
  stdio: ['pipe', 'pipe', 'ignore'],
  env: { ...process.env, CI: '', INSIGHTS_DOUBLE_URL: double.url },
})
const results = []
vitest.stdout.setEncoding('utf8')
for await (const text of vitest.stdout) {
  const [result] = /PASS|FAIL(?=.*Watching)/.exec(text) ?? []
  if (!result) continue
  results.push(result)
  if (results.length === 3) break
  for (const { name } of await double.sandboxes()) results.push(`left sandbox ${name}`)
  // The third run fails, because the double has stopped.
  if (results.length === 2) await double.stop()
  await appendFile('insights.test.ts', '// Changed.\n')
}
process.kill(-vitest.pid)
console.log(`runs while watching: ${results.join(', ')}`)
if (results.join() !== 'PASS,PASS,FAIL') process.exitCode = 1
