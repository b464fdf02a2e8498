import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { readPackageFile, temporaryFolder } from './helpers/files.js'
import { raw } from './helpers/http.js'

/** The documented flags, by command. */
const ofServe =
  '-p, --port -f, --fixture --host --fixtures --state --memory --fresh --spec --delay --watch --fail-on-violation --report --log --admin-token --allowed-host --admin-origin'
const promised: readonly (readonly [heading: RegExp, flags: string])[] = [
  [/^ {2}insights-double \[serve\] /mu, ofServe],
  [/^ {2}insights-double run {2}/mu, '--min-coverage'],
  [/^ {2}insights-double check {2}\[files…\]/mu, '--spec --fixtures'],
  [/^ {2}insights-double reset {2}\[fixture\]/mu, '--url --admin-token'],
  [/^ {2}insights-double state /mu, '--out --url --admin-token'],
  [/^ {2}insights-double requests /mu, '--url --admin-token'],
]

for (const words of [['--help'], ['-h']])
  test(`${words.join(' ')} prints every command with its flags`, async (t) => {
    const { stderr, stdout } = await exits(t, 0, words)
    t.is(stderr, '')
    for (const [heading, flags] of promised) {
      const [section = ''] = stdout.slice(stdout.search(heading)).split('\n\n')
      t.regex(section, heading)
      for (const flag of flags.split(/ (?=-)/u).filter((word) => word.startsWith('--')))
        t.regex(section, new RegExp(`${flag}(?: <[^>]+>)? {2,}\\S`, 'u'))
    }
    t.regex(stdout, /-p, --port/u)
    t.regex(stdout, /-f, --fixture/u)
    t.regex(stdout, /Exit codes: 0 .*1 .*2 .*3 .*4 /u)
    for (const known of ['4010', 'PORT', '127.0.0.1', '.insights-double/state.json', 'INSIGHTS_DOUBLE_URL'])
      t.true(stdout.includes(known), known)
  })

test('the help of a command lists only the flags of the command', async (t) => {
  const maxBytes = /--max-bytes <bytes> +maximum size of all responses together; 1 to 1099511627776 \(268435456\)/u
  const maxRequests =
    /--max-requests <number> +maximum number of requests, .*; 1 to 100000 \(300 of verify, 10000 of pull\)/u
  const cases: Readonly<Record<string, readonly RegExp[]>> = {
    'serve -h': [/-p, --port <number> +\S/u],
    'run --help': [/--min-coverage <percent> +\S/u, /-p, --port <number> +\S/u, /127 not found/u],
    'requests --help': [/--json +print JSON/u],
    'verify --help': [/--caller <name=env:VAR> +\S/u, /--report <file> +write the report/u, maxBytes],
    'pull --help': [maxRequests, /--max-time <ms> +maximum time of the run; 1 to 86400000 \(600000\)/u],
  }
  for (const [line, has] of Object.entries(cases)) {
    const { stdout } = await exits(t, 0, line.split(' '))
    const names = [...stdout.matchAll(/^ {2}insights-double \[?(\w+)/gmu)].map(([, name]) => name)
    t.deepEqual(names, line.split(' ').slice(0, 1))
    for (const pattern of [...has, /Exit codes: 0 /u]) t.regex(stdout, pattern)
  }
})

for (const word of ['--version', '-v'])
  test(`${word} prints the package's version and nothing else`, async (t) => {
    const { version } = asObject(JSON.parse(await readPackageFile('package.json')))
    t.deepEqual(await run(t, [word]), { code: 0, stdout: `${String(version)}\n`, stderr: '' })
  })

/** By the line of a command, after its environment: the expected parts of standard error, which are the input and the correction. */
const misuses: Readonly<Record<string, RegExp>> = {
  '-x': /"-x".*--help/u,
  frobnicate: /"frobnicate".*serve, run, check, explain, schema, fixture, verify, pull, reset, state, requests/u,
  'serve extra': /^serve does not take "extra", which is no file, folder or URL of a contract\. See .*--help/u,
  'shop.yaml other.yaml': /^serve does not take "other\.yaml"\. /u,
  'explain shop.yaml --spec other.yaml':
    /^The contract is given twice, as shop\.yaml and as --spec other\.yaml; give it once\. /u,
  serv: /^There is no command "serv"; did you mean serve\? The commands are /u,
  '--port 0 --memory gone.yaml':
    /^gone\.yaml {2}cannot be read: no such file or folder {2}check the path and its permissions$/mu,
  '--port 0 --memory ./gone':
    /^\.\/gone {2}cannot be read: no such file or folder {2}check the path and its permissions$/mu,
  'reset one two': /"two".*--help/u,
  '--port abc': /--port.*0 to 65535.*"abc"/u,
  '--port 65536': /--port.*0 to 65535.*"65536"/u,
  '--port 0x10': /--port.*0 to 65535.*"0x10"/u,
  '--port=': /--port.*0 to 65535.*""/u,
  '--port': /--port.*--help/u,
  '--port=-1': /--port.*0 to 65535.*"-1"/u,
  'PORT=abc --memory': /\bPORT.*0 to 65535.*"abc"/u,
  '--port 0 --memory --delay 1.5': /--delay.*0 to 60000.*"1\.5"/u,
  '--port 0 --memory --delay 60001': /--delay.*0 to 60000.*"60001"/u,
  '--port 0 --memory --log loud': /--log.*pretty, json, silent.*"loud"/u,
  '--port 0 --memory --report report.txt': /--report.*\.json or \.md or \.xml.*"report\.txt"/u,
  '--memory --port 0 --state state.json': /--memory.*--state/u,
  '--port 0 --memory --max-sandboxes 0': /--max-sandboxes.*1.*"0"/u,
  '--url http://127.0.0.1:4010': /--url.*reset, state, requests.*serve.*--help/u,
  'check --port 1': /--port.*serve, run.*check.*--help/u,
  'reset --out x.json': /--out.*state.*reset.*--help/u,
  'reset --url localhost:4010': /--url.*http:\/\/127\.0\.0\.1:4010.*"localhost:4010"/u,
  'INSIGHTS_DOUBLE_URL=nowhere reset': /INSIGHTS_DOUBLE_URL.*"nowhere"/u,
  '--memory --port 0 --fixture defualt': /defualt.*default, edge-cases, empty, many/u,
  '--memory --port 0 --fixture ./gone.json': /\.\/gone\.json.*--fixture/u,
  '--memory --port 0 --host 0.0.0.0': /0\.0\.0\.0.*--admin-token/u,
  '--memory --port 0 --admin-token x --host 192.0.2.1': /192\.0\.2\.1.*--host/u,
  '--memory --port 0 --host nowhere.invalid --admin-token x': /nowhere\.invalid.*--host/u,
  '--prot 5000': /"--prot"; did you mean --port\? .*--help/u,
  '--fail-on-violations': /"--fail-on-violations"; did you mean --fail-on-violation\?/u,
  '--adminToken x': /"--adminToken"; did you mean --admin-token\?/u,
  '--xyzzy': /^There is no flag "--xyzzy"\. See /u,
  '--constructor': /^There is no flag "--constructor"\. See /u,
  '-5': /^There is no flag "-5"\. See /u,
  '-xp 5': /^There is no flag "-x"\. See /u,
  chek: /"chek"; did you mean check\? The commands are serve, run, check, explain, schema, fixture, verify, pull, reset, state, requests\./u,
  '--delay -5': /^--delay must be an integer from 0 to 60000 \(milliseconds\), got "-5"\.$/mu,
  '--delay=-5': /^--delay must be an integer from 0 to 60000 \(milliseconds\), got "-5"\.$/mu,
  '-p -1': /^-p must be an integer from 0 to 65535, got "-1"\.$/mu,
  '-p70000': /^-p must be an integer from 0 to 65535, got "70000"\.$/mu,
  '--port --memory': /^--port must be an integer from 0 to 65535, got "--memory"\.$/mu,
  '--log prety': /^--log must be one of pretty, json, silent, got "prety"; did you mean pretty\.$/mu,
  '--state': /^--state needs a value, <file>\. See /u,
  '--state --fresh': /^--state needs a value, <file>, got "--fresh"; to use it as the value, write --state=--fresh\. /u,
  '--state=': /^--state needs a value, <file>, got ""\. /u,
  '--admin-origin foo': /an origin such as http:\/\/localhost:5173, got "foo"\.$/mu,
  '--admin-origin localhost:5173': /got "localhost:5173"\.$/mu,
  '--admin-origin https://App.example:443/x': /got "https:\/\/App\.example:443\/x"\.$/mu,
  '--admin-origin *': /got "\*"\.$/mu,
  '--allowed-host http://x.example:80/': /a host name without a port, .*got "http:\/\/x\.example:80\/"\.$/mu,
  '--allowed-host x.example:80': /got "x\.example:80"\.$/mu,
  '--allowed-host fe80::1': /got "fe80::1"\.$/mu,
  '--admin-token ': /^--admin-token needs a value, <token>, got ""\. /u,
  '--memory=yes': /^--memory takes no value, got "yes"\. /u,
  '--port 1 --port 2': /^--port is given more than once; give it once\. /u,
  '--port 1 -p 1': /^-p is given more than once; give it once\. /u,
  '--memory --memory': /^--memory is given more than once/u,
  '--memory --port 0 --report .json/x.json':
    /^--report must name a file that can be written, got "\.json\/x\.json": no such file or folder\.$/mu,
  '--memory --port 0 --report /dev/null/x.json':
    /^--report must name a file that can be written, got "\/dev\/null\/x\.json": a part of its path is a file, not a folder\.$/mu,
  '--memory --port 0 --spec gone.yaml':
    /^gone\.yaml {2}cannot be read: no such file or folder {2}check the path .*, or name another file with --spec$/mu,
  '--memory --port 0 --spec .':
    /^\. {2}cannot be read: it is a folder without a contract {2}name a file; .*, or name another file with --spec$/mu,
  'check --spec gone.yaml --fixtures gone': /--fixtures.*"gone"/u,
  '--memory --port 0 --fixture ./': /\.\/ .*--fixture/u,
  '--memory --port 0 --fixtures gone':
    /^gone {2}cannot be used as a folder: no such file or folder {2}name a folder of fixtures with --fixtures$/mu,
  '--memory --port 0 --fixtures /dev/null':
    /^\/dev\/null {2}cannot be used as a folder: a part of its path is a file, not a folder {2}name a folder of fixtures with --fixtures$/mu,
}

for (const [line, names] of Object.entries(misuses))
  test(`insights-double ${line} is refused with one line and exit code 2`, async (t) => {
    const [, name, value = '', command = ''] = /^(?:([A-Z_]+)=(\w+) )?(.*)$/u.exec(line) ?? []
    const env = name === undefined ? {} : { [name]: value }
    const { stderr, stdout } = await exits(t, 2, command.split(' '), { env })
    t.is(stdout, '')
    t.regex(stderr, names)
    t.regex(stderr, /^[^\n]+\n$/u)
    t.notRegex(stderr, /\bat .*:\d+:\d+\)?$/mu, 'a stack')
  })

test('repeatable flags can be repeated, and a value that begins with a dash can follow an equals sign', async (t) => {
  const cwd = await temporaryFolder(t)
  const words = ['--state=--odd.json', '--allowed-host', 'one.example', '--allowed-host=two.example']
  const { url } = await serveByCommand(t, words, { cwd })
  const states = (await readdir(cwd)).filter((name) => name.endsWith('.json'))
  t.deepEqual(states, ['--odd.json'])
  for (const host of ['one.example', 'two.example'])
    t.is((await raw({ url }, `GET /__admin/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200)
})

test('an error about a file that cannot be written names the flag', async (t) => {
  const cwd = await temporaryFolder(t)
  await mkdir(join(cwd, 'report.json'))
  const folder = await run(t, ['--memory', '--port', '0', '--report', 'report.json'], { cwd })
  const report = '--report must name a file that can be written, got "report.json": it is a folder.\n'
  t.deepEqual(folder, { code: 2, stdout: '', stderr: report })
  await mkdir(join(cwd, 'sub'))
  const double = await serveByCommand(t, ['--memory', '--report', 'sub/report.json'], { cwd })
  await rm(join(cwd, 'sub'), { recursive: true })
  const { code, stderr } = await double.end()
  t.is(code, 2)
  t.regex(stderr, /^--report: sub\/report\.json could not be written: .*\n$/u)
  const { url } = await serve(t)
  const unwritable: Readonly<Record<string, string>> = {
    'gone/x.json': 'no such file or folder',
    '.': 'it is a folder',
    '/dev/null/x': 'a part of its path is a file, not a folder',
  }
  for (const [out, reason] of Object.entries(unwritable)) {
    const written = await run(t, ['state', '--url', url, '--out', out], { cwd })
    t.like(written, { code: 2, stderr: `--out must name a file that can be written, got "${out}": ${reason}.\n` })
  }
})
