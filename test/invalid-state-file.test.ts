import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { exits } from './helpers/cli.js'
import { startDouble } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { assertRefused, type Refusal, stateFiles, unmarked } from './helpers/refusals.js'

const nul = '\0'
const noJson = String.raw`is not JSON: "\u0000" is not allowed here  correct the text here; 1 line from here on could not be read`
const refused: readonly Refusal[] = [
  ...stateFiles.refused,
  { title: 'holds nothing but NUL bytes', marked: `▸${nul.repeat(512)}`, message: noJson },
  { title: 'ends in NUL bytes', marked: `${stateFiles.valid}▸${nul.repeat(64)}`, message: noJson },
]
for (const refusal of refused)
  test(`a state file that ${refusal.title} stops the start, and does not change`, async (t) => {
    const text = unmarked(refusal.marked)
    const state = await writeTemporary(t, 'state.json', text)
    const hint = ', or start from the fixture with --fresh'
    await assertRefused(t, refusal, state, () => startDouble({ state }), hint)
    t.is(await readFile(state, 'utf8'), text)
  })

test('a failed start prints the reason, and creates no file', async (t) => {
  const folder = await temporaryFolder(t)
  const state = join(folder, 'state.json')
  await writeFile(state, '[1]')
  const { stderr, stdout } = await exits(t, 2, ['--port', '0', '--state', state])
  t.is(stdout, '')
  const error = await t.throwsAsync(startDouble({ state }), { instanceOf: ProblemsError })
  t.is(stderr.trimEnd(), error?.message)
  t.deepEqual(await readdir(folder), ['state.json'])
})

test('a state file in a folder that cannot be created stops the start', async (t) => {
  const obstacle = await writeTemporary(t, 'obstacle', '')
  const state = join(obstacle, 'state.json')
  const { stderr, stdout } = await exits(t, 2, ['--port', '0', '--state', state])
  t.is(stdout, '')
  t.true(stderr.startsWith(`${state}  cannot be used: `), stderr)
  t.regex(stderr, /--state.*--memory/u)
  t.is(await readFile(obstacle, 'utf8'), '')
})

for (const flags of [[], ['--fresh']])
  test(`${['insights-double', ...flags].join(' ')} does not start if the state file is a folder`, async (t) => {
    const folder = await temporaryFolder(t)
    const state = join(folder, 'state.json')
    await mkdir(state)
    const { stderr, stdout } = await exits(t, 2, ['--port', '0', '--state', state, ...flags])
    t.is(stdout, '')
    t.true(stderr.startsWith(`${state}  cannot be `), stderr)
    t.is(stderr.trimEnd().split('\n').length, 1, stderr)
    t.regex(stderr, /--state/u, 'the hint names another file, because --fresh would not help')
    t.deepEqual(await readdir(folder), ['state.json'])
  })

test('a state file without a name stops the start', async (t) => {
  const folder = join(await temporaryFolder(t), 'inner')
  await mkdir(folder)
  const { stderr, stdout } = await exits(t, 2, ['--port', '0', '--state', ''], { cwd: folder })
  t.is(stdout, '')
  t.regex(stderr, /^[^\n]*--state[^\n]*\n$/u)
  t.deepEqual(await readdir(folder), [])
  t.deepEqual(await readdir(join(folder, '..')), ['inner'])
})
