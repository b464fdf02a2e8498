import test from 'ava'

import { run } from './helpers/cli.js'
import { asObject, readPackageFile } from './helpers/double.js'

/** The flags that are promised, by command. */
const promised: readonly (readonly [heading: RegExp, flags: string])[] = [
  [
    /^ {2}insights-double \[serve\] /mu,
    '-p, --port -f, --fixture --host --fixtures --state --memory --fresh --spec --delay --watch --fail-on-violation --report --log --admin-token --allowed-host --admin-origin',
  ],
  [/^ {2}insights-double check {2}\[files…\]/mu, '--spec --fixtures'],
  [/^ {2}insights-double reset {2}\[fixture\]/mu, '--url --admin-token'],
  [/^ {2}insights-double state /mu, '--out --url --admin-token'],
  [/^ {2}insights-double requests /mu, '--url --admin-token'],
]

for (const words of [['--help'], ['-h'], ['serve', '--help'], ['requests', '--help']]) {
  test(`${words.join(' ')} names every command with its flags`, async (t) => {
    const { code, stderr, stdout } = await run(t, words)
    t.is(code, 0)
    t.is(stderr, '')
    for (const [heading, flags] of promised) {
      const [section = ''] = stdout.slice(stdout.search(heading)).split('\n\n')
      t.regex(section, heading)
      for (const flag of flags.split(/ (?=-)/u).filter((word) => word.startsWith('--')))
        t.regex(section, new RegExp(`${flag}(?: <[^>]+>)? {2,}\\S`, 'u'))
    }
    t.regex(stdout, /-p, --port/u)
    t.regex(stdout, /-f, --fixture/u)
    t.regex(stdout, /Exit codes: 0 .*1 .*2 .*3 /u)
    for (const known of ['4010', 'PORT', '127.0.0.1', '.insights-double/state.json', 'INSIGHTS_DOUBLE_URL'])
      t.true(stdout.includes(known), known)
  })
}

for (const word of ['--version', '-v']) {
  test(`${word} prints the package's version and nothing else`, async (t) => {
    const { version } = asObject(JSON.parse(await readPackageFile('package.json')))
    t.deepEqual(await run(t, [word]), { code: 0, stdout: `${String(version)}\n`, stderr: '' })
  })
}

interface Misuse {
  readonly words: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What standard error names: the input, and what would be right. */
  readonly names: RegExp
}
const misuses: readonly Misuse[] = [
  { words: ['--nope'], names: /'--nope'.*--help/u },
  { words: ['-x'], names: /'-x'.*--help/u },
  { words: ['frobnicate'], names: /"frobnicate".*serve, check, reset, state, requests/u },
  { words: ['serve', 'extra'], names: /"extra".*--help/u },
  { words: ['reset', 'one', 'two'], names: /"two".*--help/u },
  { words: ['--port', 'abc'], names: /--port.*0 to 65535.*"abc"/u },
  { words: ['--port', '65536'], names: /--port.*0 to 65535.*"65536"/u },
  { words: ['--port', '0x10'], names: /--port.*0 to 65535.*"0x10"/u },
  { words: ['--port='], names: /--port.*0 to 65535.*""/u },
  { words: ['--port'], names: /--port.*--help/u },
  { words: ['--port=-1'], names: /--port.*0 to 65535.*"-1"/u },
  { words: ['--memory'], env: { PORT: 'abc' }, names: /\bPORT.*0 to 65535.*"abc"/u },
  { words: ['--port', '0', '--memory', '--delay', '1.5'], names: /--delay.*0 to 60000.*"1\.5"/u },
  { words: ['--port', '0', '--memory', '--delay', '60001'], names: /--delay.*0 to 60000.*"60001"/u },
  { words: ['--port', '0', '--memory', '--log', 'loud'], names: /--log.*pretty, json, silent.*"loud"/u },
  { words: ['--port', '0', '--memory', '--report', 'report.txt'], names: /--report.*\.json or \.md.*"report\.txt"/u },
  { words: ['--memory=yes'], names: /'--memory'.*--help/u },
  { words: ['--memory', '--port', '0', '--state', 'state.json'], names: /--memory.*--state/u },
  { words: ['--port', '0', '--memory', '--max-sandboxes', '0'], names: /--max-sandboxes.*1.*"0"/u },
  { words: ['--url', 'http://127.0.0.1:4010'], names: /--url.*reset, state, requests.*serve.*--help/u },
  { words: ['check', '--port', '1'], names: /--port.*serve.*check.*--help/u },
  { words: ['state', '--operation', 'listInsights'], names: /--operation.*requests.*state.*--help/u },
  { words: ['reset', '--out', 'x.json'], names: /--out.*state.*reset.*--help/u },
  { words: ['requests', '--status', 'ok'], names: /--status.*100 to 599.*"ok"/u },
  { words: ['requests', '--verdict', 'bad'], names: /--verdict.*ok or violation.*"bad"/u },
  { words: ['reset', '--url', 'localhost:4010'], names: /--url.*http:\/\/127\.0\.0\.1:4010.*"localhost:4010"/u },
  { words: ['reset'], env: { INSIGHTS_DOUBLE_URL: 'nowhere' }, names: /INSIGHTS_DOUBLE_URL.*"nowhere"/u },
  { words: ['--memory', '--port', '0', '--fixture', 'defualt'], names: /defualt.*default, edge-cases, empty, many/u },
  { words: ['--memory', '--port', '0', '--fixture', './gone.json'], names: /\.\/gone\.json.*--fixture/u },
  { words: ['--memory', '--port', '0', '--fixtures', 'gone'], names: /\bgone\b.*--fixture/u },
  { words: ['--memory', '--port', '0', '--spec', 'gone.yaml'], names: /gone\.yaml.*check the path/u },
  { words: ['--memory', '--port', '0', '--host', '0.0.0.0'], names: /0\.0\.0\.0.*--admin-token/u },
  { words: ['--memory', '--port', '0', '--admin-token', 'x', '--host', '192.0.2.1'], names: /192\.0\.2\.1.*--host/u },
  {
    words: ['--memory', '--port', '0', '--host', 'nowhere.invalid', '--admin-token', 'x'],
    names: /nowhere\.invalid.*--host/u,
  },
]
for (const { env = {}, names, words } of misuses) {
  const given = Object.entries(env).map(([name, value]) => `${name}=${value} `)
  test(`${given.join('')}insights-double ${words.join(' ')} is refused in one line, with 2`, async (t) => {
    const { code, stderr, stdout } = await run(t, words, { env })
    t.is(stdout, '')
    t.is(code, 2)
    t.regex(stderr, names)
    t.regex(stderr, /^[^\n]+\n$/u)
    t.notRegex(stderr, /\bat .*:\d+:\d+\)?$/mu, 'a stack')
  })
}
