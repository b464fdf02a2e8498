import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import { ProblemsError } from 'insights-double'

import { run } from './helpers/cli.js'
import { placesIn } from './helpers/declare-invalid-fixture-tests.js'
import { startDouble } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/temporary-files.js'

/** The hint at the end of every line. */
const hint = /, or start from the fixture with --fresh$/u

const file = (...insights: readonly string[]): string =>
  `{\n  "$callers": { "ada": { "token": "ada-token" } },\n  "insights": [\n    ${insights.join(',\n    ')}\n  ]\n}\n`

interface Row {
  readonly title: string
  /** The text of the file. `▸` marks each expected position. */
  readonly text: string
  /** The JSON pointer of each expected problem. Undefined: the text cannot be parsed. */
  readonly pointers?: readonly string[]
  readonly what: RegExp
}
const rows: readonly Row[] = [
  { title: 'is empty', text: '▸', what: /is empty/u },
  { title: 'holds blanks', text: '▸ \n\n', what: /is empty/u },
  { title: 'holds null', text: '▸null', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds false', text: '▸false', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds 0', text: '▸0', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds an empty string', text: '▸""', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds [1]', text: '▸[1]', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds 42', text: '▸42', pointers: ['#'], what: /is not a fixture/u },
  { title: 'holds {}', text: '▸{}', pointers: ['#/$callers'], what: /callers is missing/u },
  {
    title: 'has the wrong shape',
    text: '{ "$callers": ▸[],\n  "insights": ▸{} }',
    pointers: ['#/$callers', '#/insights'],
    what: /callers must be an object|insights must be an array/u,
  },
  {
    title: 'has a record whose time is not RFC 3339',
    text: file('{ "id": "fern", "content": "x", "createdAt": ▸"2026-01-05 09:30:00Z" }'),
    pointers: ['#/insights/0/createdAt'],
    what: /createdAt must be an RFC 3339 date-time/u,
  },
  {
    title: 'has a record without content',
    text: file('{ "content": "x" }', '▸{ "id": "fern" }'),
    pointers: ['#/insights/1'],
    what: /'content'/u,
  },
  {
    title: 'has a record with a field that the contract does not know',
    text: file('{ "content": "x", ▸"color": "green" }'),
    pointers: ['#/insights/0/color'],
    what: /"color" is not known/u,
  },
  {
    title: 'has an id twice',
    text: file('{ "id": "fern", "content": "x" }', '{ "id": ▸"fern", "content": "y" }'),
    pointers: ['#/insights/1/id'],
    what: /id "fern" is already the id of record 1/u,
  },
  {
    title: 'has a key twice',
    text: file('{ "content": "x", ▸"content": "y" }'),
    what: /is not JSON.*unique/u,
  },
]
for (const { pointers, text, title, what } of rows) {
  test(`a state file that ${title} stops the start, and does not change`, async (t) => {
    const state = await writeTemporary(t, 'state.json', text.replaceAll('▸', ''))
    const lines = await refusal(t, state)
    const places = placesIn(text).map(({ column, line }) => `${state}:${line}:${column}`)
    t.deepEqual(
      lines.map((line) => line.split('  ').slice(0, pointers ? 2 : 1)),
      places.map((place, index) => (pointers ? [place, pointers[index] ?? ''] : [place])),
    )
    for (const line of lines) {
      t.regex(line, what)
      t.regex(line, hint)
    }
    t.is(await readFile(state, 'utf8'), text.replaceAll('▸', ''))
  })
}

const broken: readonly (readonly [title: string, text: string, what: RegExp])[] = [
  ['was cut in a string', file('{ "content": "xyz').slice(0, -8), /is not JSON/u],
  ['was cut between two records', file('{ "content": "x" }').slice(0, -5), /is not JSON/u],
  ['holds nothing but NUL bytes', '\0'.repeat(512), /is not (?:JSON|a fixture)/u],
  ['ends in NUL bytes', file('{ "content": "x" }') + '\0'.repeat(64), /is not JSON/u],
  ['is YAML in a .json file', '$callers: { ada: { token: ada-token } }\ninsights: []\n', /is not JSON/u],
  ['has an extra comma', file('{ "content": "x" },'), /is not JSON/u],
]
for (const [title, text, what] of broken) {
  test(`a state file that ${title} stops the start, and does not change`, async (t) => {
    const state = await writeTemporary(t, 'state.json', text)
    for (const line of await refusal(t, state)) {
      t.true(line.startsWith(`${state}:`), line)
      t.regex(line.slice(state.length), /^:\d+:\d+ {2}/u)
      t.regex(line, what)
      t.regex(line, hint)
    }
    t.is(await readFile(state, 'utf8'), text)
  })
}

/** Returns the problems of a start with a state file, one per line. */
async function refusal(t: ExecutionContext, state: string): Promise<readonly string[]> {
  const start = async (): Promise<void> => {
    const double = await startDouble({ state })
    t.teardown(() => double.stop())
  }
  const error = await t.throwsAsync(start, { instanceOf: ProblemsError })
  return error?.message.split('\n') ?? []
}

test('a failed start prints the reason, and creates no file', async (t) => {
  const folder = await temporaryFolder(t)
  const state = join(folder, 'state.json')
  await writeFile(state, '[1]')
  const { code, stderr, stdout } = await run(t, ['--port', '0', '--state', state])
  t.is(code, 2)
  t.is(stdout, '')
  t.deepEqual(stderr.trimEnd().split('\n'), await refusal(t, state))
  t.deepEqual(await readdir(folder), ['state.json'])
})

test('a state file in a folder that cannot be created stops the start', async (t) => {
  const obstacle = await writeTemporary(t, 'obstacle', '')
  const state = join(obstacle, 'state.json')
  const { code, stderr, stdout } = await run(t, ['--port', '0', '--state', state])
  t.is(code, 2)
  t.is(stdout, '')
  t.true(stderr.startsWith(`${state}  cannot be used: `), stderr)
  t.regex(stderr, /--state.*--memory/u)
  t.is(await readFile(obstacle, 'utf8'), '')
})

for (const flags of [[], ['--fresh']]) {
  test(`${['insights-double', ...flags].join(' ')} does not start if the state file is a folder`, async (t) => {
    const folder = await temporaryFolder(t)
    const state = join(folder, 'state.json')
    await mkdir(state)
    const { code, stderr, stdout } = await run(t, ['--port', '0', '--state', state, ...flags])
    t.is(code, 2)
    t.is(stdout, '')
    t.true(stderr.startsWith(`${state}  cannot be `), stderr)
    t.is(stderr.trimEnd().split('\n').length, 1, stderr)
    t.regex(stderr, /--state/u, 'the hint names another file, because --fresh would not help')
    t.deepEqual(await readdir(folder), ['state.json'])
  })
}

test('a state file without a name stops the start', async (t) => {
  const folder = join(await temporaryFolder(t), 'inner')
  await mkdir(folder)
  const { code, stderr, stdout } = await run(t, ['--port', '0', '--state', ''], { cwd: folder })
  t.is(code, 2)
  t.is(stdout, '')
  t.regex(stderr, /^[^\n]*--state[^\n]*\n$/u)
  t.deepEqual(await readdir(folder), [])
  t.deepEqual(await readdir(join(folder, '..')), ['inner'])
})
