import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { listenToReloads, startHere } from './helpers/double-in-thread.js'
import { control, controlText, insightsIn, serveHere } from './helpers/double.js'
import { replaceFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json, raw, wire } from './helpers/http.js'
import { largeFixture } from './helpers/many-plants.js'
import { often } from './helpers/repetitions.js'

const mebibyte = 1024 * 1024
const type = { 'content-type': 'application/json' }
const callers = '"$callers":{"ada":{"token":"ada-token"}}'

const records = often(2000, 100_000)

test.serial(`${records} records are loaded, listed, deleted, saved, put and loaded again`, async (t) => {
  const folder = await temporaryFolder(t)
  const [state, snapshot] = [join(folder, 'state.json'), join(folder, 'snapshot.json')]
  const expected = Array.from({ length: records }, (_, index) => `record-${index + 1}`)
  const fixture = await writeTemporary(t, 'fixture.json', largeFixture(records))
  const first = await serveByCommand(t, ['--state', state, '--fixture', fixture])
  t.deepEqual(await idsSeenBy(first, 'ada'), expected)
  for (const id of [expected.shift(), expected.pop()])
    t.is((await del(first, `/insights/${id ?? ''}`, as('ada'))).status, 204)
  t.is((await first.end()).code, 0)
  const second = await serveByCommand(t, ['--state', state])
  t.deepEqual(await idsSeenBy(second, 'ada'), expected)
  const { text } = await control(second, 'GET', '/state')
  await writeFile(snapshot, text)
  t.is((await control(second, 'POST', '/reset')).status, 200)
  t.is((await controlText(second, 'PUT', '/state', text, type)).status, 204)
  t.deepEqual(await idsSeenBy(second, 'ada'), expected)
  t.deepEqual(await idsSeenBy(await serveByCommand(t, ['--memory', '--fixture', snapshot]), 'ada'), expected)
})

/** The size in mebibytes; twice as much as JSON. It is more than the maximum of a YAML file, 8 MiB; in the long form, just below that of a state, 256 MiB. */
const size = often(12, 126)
test(`a content of ${size} MiB is written and read`, async (t) => {
  const content = '\\"\n'.repeat((size / 3) * mebibyte)
  const state = join(await temporaryFolder(t), 'state.json')
  const first = await serveHere(t, { state })
  await first.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [{ content }] })
  await first.stop()
  t.true((await insightsIn(await serveHere(t, { state })))[0]?.['content'] === content)
})

test('a whole state of more than 256 MiB is refused before it is sent', async (t) => {
  const double = await serveHere(t)
  const before = await double.state()
  const announced = ['Content-Type: application/json', `Content-Length: ${256 * mebibyte + 1}`]
  const message = 'The request body is larger than 268435456 bytes. Send a smaller one.'
  assertError(t, await raw(double, wire('PUT /__admin/state', announced)), 413, message)
  t.deepEqual(await double.state(), before)
})

const wrongs = often(50_000, 500_000)
/** Bodies that would need much more memory than their size. */
const hostile: readonly (readonly [title: string, text: string, status: number, says: RegExp])[] = [
  ['6 million numbers', `{${callers},"insights":[${'1,'.repeat(6_000_000)}1]}`, 413, /more than 5000000 values/u],
  ['6 million objects', `{${callers},"insights":[${'{},'.repeat(3_000_000)}{}]}`, 413, /more than 5000000 values/u],
  [`${wrongs} wrong records`, `{${callers},"insights":[${'{},'.repeat(wrongs)}{}]}`, 400, /insights\/0 .*'content'/u],
  [`${wrongs} wrong callers`, `{"insights":[],"$callers":{${callersOf(wrongs)}}}`, 400, /callers\/c0\/token .*token/u],
  ['1,001 lists in lists', `{${callers},"insights":${'['.repeat(1001)}${']'.repeat(1001)}}`, 413, /1000 levels deep/u],
]
for (const [title, text, status, says] of hostile)
  test(`a whole state of ${title} is refused, and the double still serves`, async (t) => {
    const double = await serveHere(t)
    const before = await double.state()
    const reply = await controlText(double, 'PUT', '/state', text, type)
    assertError(t, reply, status)
    t.regex(String(asObject(json(reply))['message']), says)
    t.deepEqual(await double.state(), before)
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })

function callersOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `"c${index}":{}`).join(',')
}

test('the first 1,000 of many problems are listed, each with its place', async (t) => {
  const wrong = largeFixture(1_200).replaceAll('"tag":', '"tagg":')
  const fixture = await writeTemporary(t, 'wrong.json', wrong)
  const error = await t.throwsAsync(startHere({ fixture }), { instanceOf: ProblemsError })
  const problems = error?.problems ?? []
  t.is(problems.length, 1001)
  const column = (wrong.split('\n')[1] ?? '').indexOf('"tagg"') + 1
  t.like(problems[0], { position: { line: 2, column }, path: ['insights', 0, 'tagg'], what: 'key "tagg" is not known' })
  t.like(problems[999], { position: { line: 1001 }, path: ['insights', 999, 'tagg'] })
  t.like(problems[1000], { position: { line: 1002 }, what: 'has further problems from here on' })
})

/** An error at the end of a large file. */
const mistakes: readonly (readonly [title: string, from: string, to: string, line: number, what: RegExp])[] = [
  ['a wrong value', '"id":"record-1200"', '"id":"a b"', 1_201, /must match/u],
  ['a repeated key', '"id":"record-1200"', '"id":"record-1200","i\\u0064":"x"', 1_201, /key "i\\u0064" is not unique/u],
  ['a missing bracket', '\n]}\n', '\n]\n', 1_203, /the end is not allowed here/u],
]
for (const [title, from, to, line, what] of mistakes)
  test(`${title} at the end of a large fixture is reported with its line`, async (t) => {
    const fixture = await writeTemporary(t, 'wrong.json', largeFixture(1_200).replace(from, to))
    const error = await t.throwsAsync(startHere({ fixture }), { instanceOf: ProblemsError })
    t.is(error?.problems.length, 1)
    t.is(error?.problems[0]?.position?.line, line)
    t.regex(error?.problems[0]?.what ?? '', what)
  })

test('--watch reloads a large fixture', async (t) => {
  const fixture = await writeTemporary(t, 'large.json', largeFixture(5_000))
  const { onReload, reload } = listenToReloads()
  const double = await serveHere(t, { fixture, watch: true, onReload })
  await replaceFile(fixture, (await readFile(fixture, 'utf8')).replace('record-1"', 'first"'))
  t.deepEqual(await reload(), { file: fixture, problem: undefined })
  t.is((await insightsIn(double))[0]?.['id'], 'first')
})
