import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { UsageError } from '#src/cli/flags.js'
import { parseArguments } from '#src/cli/parse-arguments.js'
import { startCommand } from '#src/cli/run.js'

import { writeBlockingHandler } from './helpers/blocking-handler.js'
import { launch, run, type Running, runProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { readJunit } from './helpers/read-junit.js'
import { launchShell, shell } from './helpers/shell.js'
import { commandFile } from './helpers/spawn-double.js'
import { succeeds, until } from './helpers/until.js'

const isGone = (pid: number): Promise<boolean> =>
  until(async () => {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    return status === undefined || status.includes(') Z ')
  })

const isRefused = (url: string): Promise<boolean> => until(async () => !(await succeeds(fetch(url))))

/** Finds the process id of the double of a `run`. */
async function doubleOf(runPid: number): Promise<number> {
  const children = await readFile(`/proc/${runPid}/task/${runPid}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')))
  return pids[lines.findIndex((line) => line.includes('double-process.js'))] ?? 0
}

/** A command that prints its input, its arguments and the response of the double, and breaks the contract. */
const client = `
const url = process.env.INSIGHTS_DOUBLE_URL
const headers = { authorization: 'Bearer ada-token' }
for await (const chunk of process.stdin) process.stdout.write(chunk)
process.stdout.write(process.argv.slice(2).join('|'))
const sandbox = await (await fetch(url + '/__admin/sandboxes', { method: 'POST' })).json()
await fetch(url + '/sandboxes/' + sandbox.name + '/insights/none', { method: 'DELETE', headers })
await fetch(url + '/__admin/sandboxes/' + sandbox.name, { method: 'DELETE' })
await fetch(url + '/insights?limit=abc&token=ada-token', { headers })
`

test('run passes on input, output and arguments, writes the report, and exits with 3 after a violation', async (t) => {
  const cwd = await temporaryFolder(t)
  const file = await writeTemporary(t, 'client.mjs', client)
  const words = '--fail-on-violation --min-coverage 100 --report report.xml --spec spec.yaml --log silent'
  const spec = join(process.cwd(), 'spec/insights.yaml')
  const script = `cp ${spec} spec.yaml; printf in | node ${commandFile} run ${words} -- node ${file} --unknown 'a b'`
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'), GITHUB_WORKSPACE: cwd }
  const { code, stderr, stdout } = await (await launchShell(t, script, { cwd, env })).ended
  t.is(code, 3, stderr)
  t.is(stdout, 'in--unknown|a b')
  t.regex(stderr, /^\n::error /u)
  const lines = (await readFile(spec, 'utf8')).split('\n')
  const line = lines.findIndex((text) => text.includes('operationId: listInsights'))
  const annotation = /^::error file=spec\.yaml,line=(\d+),title=GET \/insights\?limit=abc[^:]*::Query .*"abc"\.$/mu
  t.true(Math.abs(Number(annotation.exec(stderr)?.[1]) - line) <= 2, stderr)
  const summary = await readFile(join(cwd, 'summary.md'), 'utf8')
  const report = await readFile(join(cwd, 'report.xml'), 'utf8')
  t.regex(summary, /^2 of 7 documented statuses were answered \(28\.5 %\)\.$/mu)
  const cases = (await readJunit(report)).filter(({ result }) => result !== 'skipped')
  const told = cases.map(({ name, result }) => `${result}: ${name.replace(/\(.*/u, '')}`)
  t.deepEqual(told, [
    'passed: listInsights responds with 400',
    'passed: deleteInsight responds with 404',
    'failed: GET /insights?limit=abc&token=[redacted] ',
  ])
  t.false(`${summary}${report}${stderr.slice(stderr.indexOf('::error'))}`.includes('ada-token'))
})

test('run exits with 4 if the coverage is too low, and ignores PORT', async (t) => {
  const words = ['run', '--min-coverage', '1', '--log', 'silent', '--', process.execPath, '--version']
  const ended = await runProcess(t, words, { env: { PORT: '1' } })
  t.is(ended.code, 4, ended.stderr)
  t.is(ended.stdout, `${process.version}\n`)
  t.regex(ended.stderr, /^0 of 7 documented statuses were answered \(0 %\), less than --min-coverage 1\. /mu)
})

test('run names a command that is not found, and exits with 127', async (t) => {
  const { code, stderr, stdout } = await runProcess(t, ['run', '--log', 'silent', '--', 'no-such-command', '--memory'])
  t.deepEqual([code, stdout], [127, ''])
  t.regex(stderr, /^no-such-command: command not found$/mu)
})

for (const [[program, ...words], code, message] of [
  [['sh', '-c', 'exit 7'], 7, undefined],
  [['sh', '-c', 'kill -9 $$'], 137, 'sh was ended by SIGKILL.'],
  [['sh', '-c', 'kill -TERM $$'], 143, 'sh was ended by SIGTERM.'],
  [['/dev/null'], 126, '/dev/null: cannot be executed (EACCES)'],
  [['./not-there'], 127, './not-there: command not found'],
] as const)
  test(`${[program, ...words].join(' ')} has the same exit code as in a shell`, async (t) => {
    const end = await startCommand(program, words, 'http://127.0.0.1:1').ended
    t.deepEqual([end.code, end.message], [code, message])
  })

const usage: readonly (readonly [words: string, names: RegExp])[] = [
  ['run npm test', /^run does not take "npm"; write -- before the command to run\. /u],
  ['run --min-coverage 101 -- x', /^--min-coverage must be an integer from 0 to 100, got "101"\.$/u],
  ['run --frobnicate -- x', /^There is no flag "--frobnicate"\. /u],
  ['run --min-coverag 1 -- x', /did you mean --min-coverage\?/u],
  ['--min-coverage 1', /^--min-coverage is a flag of run, not of serve\. /u],
  ['run --json -- x', /^--json is a flag of .*, not of run\. /u],
]
for (const [words, names] of usage)
  test(`${words} is refused`, (t) => {
    const error = t.throws(() => parseArguments(words.split(' ')), { instanceOf: UsageError })
    t.regex(error.message, names)
  })

test('run without a command is refused, with an example', async (t) => {
  const stderr = 'run needs a command after --, such as: insights-double run -- npm test\n'
  t.deepEqual(await run(t, ['run', '--']), { code: 2, stdout: '', stderr })
})

test('run on a port that is in use does not run the command', async (t) => {
  const { port } = new URL((await serve(t)).url)
  const ended = await runProcess(t, ['run', '--port', port, '--', 'echo', 'ran'])
  t.deepEqual([ended.code, ended.stdout], [2, ''])
  t.regex(ended.stderr, new RegExp(`^[^\\n]*127\\.0\\.0\\.1:${port}\\b[^\\n]*--port[^\\n]*\\n$`, 'u'))
})

test('run with an invalid fixture prints the position of the problem, and does not run the command', async (t) => {
  const fixture = await writeTemporary(t, 'broken.json', '{"$callers": {"ada": {"token": "ada-token"}}, "insihts": []}')
  const ended = await runProcess(t, ['run', '--fixture', fixture, '--', 'echo', 'ran'])
  t.deepEqual([ended.code, ended.stdout], [2, ''])
  t.is(ended.stderr, `${fixture}:1:47  #/insihts  there is no collection "insihts"  use insights\n`)
})

/** A shell that starts another one. Each prints a line when it gets SIGTERM. The outer one exits with 5. */
const family = `sh -c 'trap "echo inner; exit" TERM; echo up; while :; do sleep 0.1; done' & trap 'wait; echo outer; exit 5' TERM; wait`

test('without a terminal, all processes of the command get a signal once, and run exits with the code of the command', async (t) => {
  const running = await launch(t, ['run', '--log', 'silent', '--', 'sh', '-c', family])
  await running.printed(/up\n/u)
  const { code, stderr, stdout } = await running.end('SIGTERM')
  t.is(code, 5, stderr)
  t.deepEqual(stdout.split('\n').toSorted(), ['', 'inner', 'outer', 'up'])
})

/** Counts each SIGINT for a second after the first, then exits with their number. */
const counter = `let n = 0; process.on('SIGINT', () => { n++ || setTimeout(() => process.exit(n), 1000) }); console.log('up'); setInterval(() => {}, 1000)`

/** Counts each SIGINT for two seconds, then exits with their number. */
const briefCounter = `let n = 0; process.on('SIGINT', () => n++); console.log('up'); setTimeout(() => process.exit(n), 2000)`

for (const [title, command, count] of [
  ['with a terminal, Ctrl-C reaches the command once', `node -e \\"${counter}\\"`, 1],
  ['with a terminal, run does not pass on Ctrl-C', `setsid node -e \\"${briefCounter}\\"`, 0],
] as const)
  test(title, async (t) => {
    // Without `exec`, dash waits for the command and then ends because of the same Ctrl-C.
    const script = `command -v script >/dev/null || { echo none; exit; }
{ until grep -q up typed 2>/dev/null; do sleep 0.1; done; printf '\\003'; until test -e ended; do sleep 0.1; done; } |
  { script -qefc "exec node ${commandFile} run --log silent -- ${command}" /dev/null > typed; code=$?; touch ended; cat typed; exit $code; }`
    const { code, stdout } = await shell(t, script)
    if (stdout === 'none\n') return t.log('There is no script(1) here.')
    t.regex(stdout, /up\r?\n/u)
    t.is(code, count, stdout)
  })

test('if the double is killed, run stops the command and exits with 2', async (t) => {
  const running = await launch(t, ['run', '--log', 'silent', '--', 'sh', '-c', `echo "pid $$"; ${family}`])
  const [, pid = ''] = await running.printed(/pid (\d+)\nup\n/u)
  process.kill(await doubleOf(running.pid), 'SIGKILL')
  const { code, stderr, stdout } = await running.ended
  t.is(code, 2)
  t.regex(stderr, /^The double ended unexpectedly, so the command is stopped\.$/mu)
  t.regex(stdout, /^inner$/mu)
  t.true(await isGone(Number(pid)))
})

test('when run is killed, the double stops and releases its port and its lock, and all processes of the command end', async (t) => {
  const cwd = await temporaryFolder(t)
  // The pause lets run tell the double the process id of the command, which it cannot do before it has started it.
  const script = 'trap "" TERM; sleep 600 & sleep 1; echo $$ $! $INSIGHTS_DOUBLE_URL; wait; wait'
  const running = await launch(t, ['run', '--state', 'state.json', '--', 'sh', '-c', script], { cwd })
  const [, pid = '', childPid = '', url = ''] = await running.printed(/^(\d+) (\d+) (http\S+)$/mu)
  const double = await doubleOf(running.pid)
  running.signal('SIGKILL')
  t.true(await isGone(double))
  t.true(await isGone(Number(pid)))
  t.true(await isGone(Number(childPid)))
  t.true(await isRefused(url))
  t.deepEqual(await readdir(cwd), ['state.json'])
})

test('a process of the command that ignores SIGTERM ends, too, if the double is killed', async (t) => {
  const script = `sh -c 'trap "" TERM; echo "$$ $PPID up"; while :; do sleep 0.1; done' & trap 'exit 5' TERM; wait`
  const running = await launch(t, ['run', '--log', 'silent', '--', 'sh', '-c', script])
  const [, pid = ''] = await running.printed(/^(\d+) \d+ up$/mu)
  process.kill(await doubleOf(running.pid), 'SIGKILL')
  t.is((await running.ended).code, 2)
  t.true(await isGone(Number(pid)))
})

/** Starts `run` with a client that blocks the handlers of its double. @param more - Code at the end of the client. */
async function launchBlocked(t: ExecutionContext, more = ''): Promise<Running> {
  const { client: blockingClient, file } = await writeBlockingHandler(t)
  const node = [process.execPath, '--input-type=module', '-e', blockingClient + more]
  return launch(t, ['run', '--log', 'silent', '--handlers', file, '--', ...node])
}

test('run ends a double whose handler does not end, with the exit code 2', async (t) => {
  const running = await launchBlocked(t)
  const [, url = ''] = await running.printed(/^(http\S+) blocks$/mu)
  const { code, stderr } = await running.ended
  t.is(code, 2)
  t.regex(stderr, /^The double did not stop within \d+ ms, because its JavaScript does not end\. It was killed\.$/mu)
  t.true(await isRefused(url))
})

test('if run is killed, a double whose handler does not end is killed, too', async (t) => {
  const running = await launchBlocked(t, '; setInterval(() => {}, 1000)')
  await running.printed(/^http\S+ blocks$/mu)
  const double = await doubleOf(running.pid)
  running.signal('SIGKILL')
  t.true(await isGone(double))
})

test('serve ends at SIGTERM although a handler does not end, and its state file can be used again', async (t) => {
  const { block, file } = await writeBlockingHandler(t)
  const cwd = await temporaryFolder(t)
  const running = await launch(t, ['--port', '0', '--handlers', file, '--state', 'state.json'], { cwd })
  const [, url = ''] = await running.printed(/ready at (http\S+)/u)
  const double = await doubleOf(running.pid)
  t.true(await block(url))
  t.is((await running.end('SIGTERM')).code, 2)
  t.true(await isGone(double))
  t.true(await isRefused(url))
  const next = await launch(t, ['--port', '0', '--state', 'state.json'], { cwd })
  await next.printed(/ready at/u)
  t.is((await next.end()).code, 0)
})
