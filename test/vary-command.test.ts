import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { launch } from './helpers/cli.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { readJunit } from './helpers/read-junit.js'
import { type Client, correctClients, plantedClients } from './vary/clients.js'
import { installedClients } from './vary/installed-clients.js'
import { varyClient, varyCommand, varyInstalledClient } from './vary/run-client.js'

const isLong = process.env['INSIGHTS_LONG'] === '1'
const some = <T>(all: readonly T[], step: number): readonly T[] =>
  all.filter((_, index) => isLong || index % step === 0)

/** Tells whether the language of a client is installed: Python and Go need not be. */
const canRun = ({ language }: Client): boolean =>
  language === 'node' || spawnSync(language === 'go' ? 'go' : 'python3', ['version']).error === undefined

/** Declares a test, or skips it if the language of its client is not installed. */
const testOf = (client: Client): typeof test | typeof test.skip => (canRun(client) ? test : test.skip)

for (const client of some(plantedClients, 12))
  testOf(client)(`run --vary finds that a client ${client.name}`, async (t) => {
    const { code, found, stderr, stdout } = await varyClient(t, client)
    t.is(code, 5, stdout + stderr)
    t.deepEqual(found.toSorted(), client.relies.toSorted(), stdout)
  })

for (const client of some(correctClients, 8))
  testOf(client)(`run --vary finds nothing in a client that ${client.name}`, async (t) => {
    const { code, found, stderr, stdout } = await varyClient(t, client)
    t.deepEqual([code, found], [0, []], stdout + stderr)
  })

for (const client of isLong ? installedClients : [])
  test(`run --vary tries a client that ${client.name}`, async (t) => {
    const { code, found, stderr, stdout } = await varyInstalledClient(t, client)
    t.deepEqual(found.toSorted(), client.relies, stdout + stderr)
    t.is(code, client.relies.length > 0 ? 5 : 0)
  })

const takesFirst = { script: `assert.equal((await read('/orders'))[0].id, 'o1')` }

test('what the suite says is shown without its colors', async (t) => {
  const script = `const [{ id }] = await read('/orders')
if (id !== 'o1') console.log('\\u001B[41m FAIL \\u001B[49m first.test.ts')
assert.equal(id, 'o1')`
  const { stdout } = await varyClient(t, { script }, ['--vary-only', 'order'])
  t.regex(stdout, /^ {2}> FAIL {2}first\.test\.ts$/mu)
})

test('a finding names what is not promised, what the suite says, and what to do; reports have each variation', async (t) => {
  const report = join(await temporaryFolder(t), 'report.xml')
  const only = ['--vary-only', 'order', '--vary-only', 'unknown-property']
  const { stdout } = await varyClient(t, takesFirst, ['--report', report, ...only])
  t.regex(stdout, /^vary {2}baseline passes in [\d.]+ s; 2 variations for what your tests received$/mu)
  t.regex(stdout, /^vary {2}1 finding, 0 notes, \d+ runs, /mu)
  const unit = 'order listOrders 200'
  const told =
    /^Tests fail if the 200 of listOrders returns its records in another order\n {2}no order is promised: \S+spec\.json:1\n {2}failed 3 of 3, without it 0 of 3\n {2}> AssertionError/mu
  t.regex(stdout, told)
  for (const line of [
    `again   insights-double run --vary-only '${unit}' /`,
    `keep    sandbox({ vary: ['${unit}'] })`,
    'accept  x-double: {order: promised} in an overlay',
  ])
    t.true(stdout.includes(line), line)
  const cases = (await readJunit(await readFile(report, 'utf8'))).map(({ name, result }) => `${name} ${result}`)
  t.true(cases.includes(`${unit} failed`), String(cases))
  t.true(cases.includes('unknown-property Order passed'))
  // Only the baseline counts.
  t.true(cases.includes('getOrder responds with 200 skipped'))
})

test('accepted variations are not tried, by a flag or in a file', async (t) => {
  const accepted = await writeTemporary(t, 'accepted.txt', '# accepted\n\norder listOrders 200\nslow\n')
  t.like(await varyClient(t, takesFirst, ['--vary-except', `@${accepted}`]), { code: 0, found: [] })
  t.like(await varyClient(t, takesFirst, ['--vary-only', 'date-offset']), { code: 0, found: [] })
})

for (const [words, message] of [
  [['--vary-only', 'ordr'], /^There is no variation "ordr"; did you mean order\?$/mu],
  [['--vary-only', 'order listOrder 200'], /did you mean order listOrders 200\?$/mu],
  [['--vary', '--vary-except', '@none.txt'], /^--vary-except must name a file that can be read, got "@none\.txt": /mu],
  [['--vary=some'], /^--vary takes no value, got "some"/mu],
  [['--vary', '--max-runs', '0'], /^--max-runs must be an integer from 1 to 10000/mu],
] as const)
  test(`run ${words.join(' ')} is refused`, async (t) => {
    const { code, stderr, stdout } = await varyCommand(t, words, ['true'])
    t.is(code, 2, stdout)
    t.regex(stderr + stdout, message)
  })

test('a baseline that fails has its exit code and its output; one that fails sometimes is flaky', async (t) => {
  const failing = await varyCommand(t, ['--vary'], ['sh', '-c', 'echo broken; exit 7'])
  t.deepEqual([failing.code, failing.stdout.includes('broken')], [7, true])
  const marker = join(await temporaryFolder(t), 'marker')
  const flaky = await varyCommand(t, ['--vary'], ['sh', '-c', `test -e ${marker} || { touch ${marker}; exit 1; }`])
  t.is(flaky.code, 2)
  t.regex(flaky.stdout, /the baseline is flaky, 1 of 3$/mu)
  t.is((await varyCommand(t, ['--vary'], ['no-such-command'])).code, 127)
})

test('a suite that sends no request is told so', async (t) => {
  const { code, stdout } = await varyCommand(t, ['--vary'], ['true'])
  t.is(code, 2)
  t.regex(stdout, /no request reached the double: does the suite start its own\? is it cached\?$/mu)
})

test('a suite may print 300 MB', async (t) => {
  const script = `await read('/orders'); const line = 'x'.repeat(2 ** 20) + '\\n'
for (let count = 0; count < 300; count++) if (!process.stdout.write(line)) await new Promise((done) => process.stdout.once('drain', done))`
  const { code } = await varyClient(t, { script }, ['--vary-only', 'order'])
  t.is(code, 0)
})

test('a suite that does not end with a variation, and what it leaves, is ended; the search says that it fails', async (t) => {
  const script = `const { spawn } = await import('node:child_process')
spawn('sleep', ['987'], { detached: false, stdio: 'ignore' }).unref()
if ((await read('/orders'))[0].id !== 'o1') setInterval(() => {}, 1000)`
  const { found, stdout } = await varyClient(t, { script }, ['--vary-only', 'order', '--max-runs', '1'])
  t.deepEqual(found, [])
  t.regex(stdout, /1 of at most 1 runs: order listOrders 200 fails$/mu)
  t.regex(stdout, /^The search is incomplete/mu)
})

test('Ctrl-C ends the suite, and what was found so far is printed', async (t) => {
  const script = `await fetch(process.env.INSIGHTS_DOUBLE_URL + '/insights')
if (JSON.parse(process.env.INSIGHTS_DOUBLE_VARY).units.length > 0) setInterval(() => {}, 1000)`
  const file = await writeTemporary(t, 'client.mjs', script)
  const command = await launch(t, ['run', '--vary', '--', process.execPath, file])
  await command.printed(/variations for what your tests received/u)
  const { code, stdout } = await command.end('SIGINT')
  t.is(code, 130)
  t.regex(stdout, /^vary {2}0 findings, 0 notes, /mu)
  t.regex(stdout, /^The search is incomplete/mu)
})
