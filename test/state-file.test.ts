import { chmod, copyFile, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { exits, serveByCommand, serveByProcess } from './helpers/cli.js'
import { startHere } from './helpers/double-in-thread.js'
import { insightsIn, serve, startDouble, testOnDouble } from './helpers/double.js'
import { idsOnDisk, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, idsSeenBy } from './helpers/http.js'
import { assertRefused, type Refusal, stateFiles, unmarked } from './helpers/refusals.js'

const id = 'monstera-watering'

test('a delete is saved until --fresh, and a restart of the command prints that it continues from the saved state', async (t) => {
  const cwd = await temporaryFolder(t)
  const first = await serveByProcess(t, [], { cwd })
  t.is((await del(first, `/insights/${id}`, as('ada'))).status, 204)
  const left = await idsSeenBy(first, 'ada')
  const before = await first.end()
  t.is(before.code, 0, before.stderr)
  const state = String.raw`\n {2}state +\.insights-double\/state\.json`
  const begun = String.raw`^ {2}records {2}insights 12, from fixture default \(3 callers\)${state}\n`
  t.regex(before.stdout, new RegExp(begun, 'mu'))
  const second = await serveByCommand(t, [], { cwd })
  t.deepEqual(await idsSeenBy(second, 'ada'), left)
  t.false(left.includes(id))
  const after = await second.end()
  const continued = String.raw` \(continued; --fresh starts from the fixture\)`
  t.regex(after.stdout, new RegExp(`^ {2}records {2}insights 11 \\(3 callers\\)${state}${continued}\n`, 'mu'))
  const third = await serveByCommand(t, ['--fresh'], { cwd })
  t.is((await idsSeenBy(third, 'ada'))[0], id)
  t.is((await idsOnDisk(join(cwd, '.insights-double', 'state.json'))).length, 12)
  t.notRegex((await third.end()).stdout, /continued/u)
})

test('every acknowledged delete is in the file, also if deletes are parallel', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state, fixture: 'many' })
  const ids = (await idsSeenBy(double, 'ada')).slice(0, 40)
  await Promise.all(
    ids.map(async (gone) => {
      t.is((await del(double, `/insights/${String(gone)}`, as('ada'))).status, 204)
      t.false((await idsOnDisk(state)).includes(gone))
    }),
  )
  t.is((await idsOnDisk(state)).length, 960)
})

test('an acknowledged reset and PUT /state are in the file', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state })
  await double.reset('empty')
  t.deepEqual(await idsOnDisk(state), [])
  await double.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'Moss.' }] })
  t.deepEqual(await idsOnDisk(state), ['insight-1'])
})

test('--fresh replaces an invalid state file', async (t) => {
  const state = await writeTemporary(t, 'state.json', '[1]')
  t.is((await idsSeenBy(await serve(t, { state, fresh: true }), 'ada'))[0], id)
  t.is((await idsOnDisk(state)).length, 12)
})

test('the file keeps its mode', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await (await startDouble({ state })).stop()
  for (const mode of [0o600, 0o640]) {
    await chmod(state, mode)
    const double = await serve(t, { state, fresh: true })
    t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
    await double.stop()
    t.is((await stat(state)).mode & 0o777, mode)
  }
})

for (const isDangling of [false, true])
  test(`a symlink to ${isDangling ? 'a missing file' : 'a state file'} stays a symlink`, async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, 'elsewhere'))
    const target = join(folder, 'elsewhere', 'real.json')
    if (!isDangling) await (await startDouble({ state: target })).stop()
    const state = join(folder, 'state.json')
    await symlink(join('elsewhere', 'real.json'), state)
    t.is((await del(await serve(t, { state }), `/insights/${id}`, as('ada'))).status, 204)
    t.true((await lstat(state)).isSymbolicLink())
    t.is((await idsOnDisk(target)).length, 11)
  })

test('a start removes the temporary files of a killed double, and no others', async (t) => {
  const folder = await temporaryFolder(t)
  const kept = ['other.json.123', 'state.json.12a', 'state.json.bak', 'state.json~']
  for (const name of ['state.json.1234567890', 'state.json.7', ...kept]) await writeFile(join(folder, name), '{"cal')
  const double = await serve(t, { state: join(folder, 'state.json') })
  const names = await readdir(folder)
  t.deepEqual(names.filter((name) => kept.includes(name)).toSorted(), kept)
  const temporary = names.filter((name) => /^state\.json\.\d+$/u.test(name))
  t.deepEqual(temporary, [])
  await double.stop()
  t.deepEqual((await readdir(folder)).toSorted(), ['state.json', ...kept].toSorted(), 'a lock was left behind')
})

test('a state file is a fixture: a double that starts from it sends every caller the same responses', async (t) => {
  const folder = await temporaryFolder(t)
  const state = join(folder, 'state.json')
  const first = await serve(t, { state, fixture: 'edge-cases' })
  t.is((await del(first, '/insights/only-content', as('grace'))).status, 204)
  await copyFile(state, join(folder, 'mine.json'))
  const second = await serve(t, { fixture: join(folder, 'mine.json') })
  for (const caller of ['ada', 'grace', 'alan', 'somebody']) {
    const [one, other] = await Promise.all([first, second].map((double) => get(double, '/insights', as(caller))))
    t.is(one?.status, 200)
    t.is(other?.text, one?.text, caller)
  }
})

test('a state file from another fixture than that of the options is refused, and does not change', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await (await serve(t, { state, fixture: 'empty' })).stop()
  const before = await readFile(state, 'utf8')
  t.is(asObject(asObject(JSON.parse(before))['$seed'])['fixture'], 'empty')
  const error = await t.throwsAsync(startHere({ state, fixture: 'many' }), { instanceOf: ProblemsError })
  const advice = /seeded from the fixture empty, not from many {2}start from the fixture with --fresh.*--state/u
  t.regex(error?.message ?? '', advice)
  t.is(await readFile(state, 'utf8'), before)
  t.is((await insightsIn(await serve(t, { state, fixture: 'many', fresh: true }))).length, 1000)
})

test('a start without a fixture continues from the state, and a diff compares it with the fixture of the state', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await (await serve(t, { state, fixture: 'empty' })).stop()
  const double = await serve(t, { state })
  const insights = { added: [], removed: [], changed: {} }
  t.deepEqual(await double.diff(), { fixture: 'empty', collections: { insights } })
})

testOnDouble('an inline fixture has no name, and the next reset uses it again', async (t, double) => {
  const fixture = { $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'Moss.' }] }
  const summary = { fixture: null, collections: { insights: 1 } }
  t.deepEqual(await double.reset(fixture), summary)
  t.is((await double.state()).$seed?.fixture, null)
  t.deepEqual(await double.reset(), summary)
  t.deepEqual(await insightsIn(await double.sandbox({ fixture: { ...fixture, insights: [] } })), [])
})

const nul = '\0'
const noJson = String.raw`is not JSON: "\u0000" is not allowed here  correct the text here, or a quote or a bracket above that is not closed`
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
