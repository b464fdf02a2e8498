import test from 'ava'

import { exits, run } from './helpers/cli.js'
import { changedSpec } from './helpers/double.js'
import { readPackageFile, temporaryFolder, writeFiles, writeTemporary } from './helpers/files.js'
import { validFixture } from './helpers/refusals.js'

test('check without files finds no problem in the spec and the fixtures of the package', async (t) => {
  const { stderr, stdout } = await exits(t, 0, ['check'])
  t.is(stderr, '')
  const lines = stdout.trimEnd().split('\n')
  t.regex(lines.shift() ?? '', /\/spec\/insights\.yaml {2}ok {2}2 operations$/u)
  t.deepEqual(lines.map((line) => line.replace(/^.*\/fixtures\//u, '')).toSorted(), [
    'default.json  ok  12 insights, 3 callers',
    'edge-cases.yaml  ok  42 insights, 4 callers',
    'empty.json  ok  0 insights, 3 callers',
    'many.json  ok  1000 insights, 3 callers',
  ])
})

test('check prints every problem of every file on standard output, and exits with 1', async (t) => {
  const cwd = await temporaryFolder(t)
  const bad = validFixture.replace('"Moss."', '5').replace('["ada"]', '["eve", "ada"]')
  const others = { 'worse.yaml': '$callers: {}\n', 'worst.json': '{' }
  await writeFiles(cwd, { 'good.json': validFixture, 'bad.json': bad, ...others })
  const { stderr, stdout } = await exits(t, 1, ['check', 'bad.json', 'good.json', 'worse.yaml', 'worst.json'], { cwd })
  t.is(stderr, '')
  t.regex(stdout, /^good\.json {2}ok {2}2 insights, 2 callers$/mu)
  t.regex(stdout, /^bad\.json:7:\d+ {2}#\/insights\/0\/\$access\/0 {2}"eve" is not a caller {2}use ada, grace$/mu)
  t.regex(stdout, /^bad\.json:8:18 {2}#\/insights\/1\/content {2}\S.* {2}\S/mu)
  t.regex(stdout, /^worse\.yaml:1:11 {2}#\/\$callers {2}\$callers is empty.* {2}\S/mu)
  t.notRegex(stdout, /^worse\.yaml.*#\/insights/mu)
  t.regex(stdout, /^worst\.json:1:\d+ {2}is not JSON/mu)
  t.notRegex(stdout, /^(?:bad|worse|worst)\.\w+ {2}ok/mu)
  const said = stdout.trimEnd().split('\n')
  t.is(said.at(-1), `${said.filter((line) => /^\S+:\d+:\d+ {2}/u.test(line)).length} problems`)
})

test('check --fixtures checks the spec and the fixtures of that folder', async (t) => {
  const cwd = await temporaryFolder(t)
  await writeFiles(cwd, { 'one.json': validFixture, 'two.yml': validFixture, 'notes.txt': 'no fixture' })
  const { stdout } = await exits(t, 0, ['check', '--fixtures', '.'], { cwd })
  t.regex(stdout, /insights\.yaml {2}ok/u)
  t.deepEqual(stdout.match(/^(?:one|two)\.\w+ {2}ok/gmu), ['one.json  ok', 'two.yml  ok'])
  t.notRegex(stdout, /notes|default\.json/u)
})

test('check prints every problem of a spec, and exits with 1', async (t) => {
  const spec = (await readPackageFile('spec/insights.yaml'))
    .replace('required: [id, content]', 'required: 1')
    .replace('format: date-time', 'format: 2')
  const file = await writeTemporary(t, 'mine.yaml', spec)
  const { stderr, stdout } = await exits(t, 1, ['check', file])
  t.is(stderr, '')
  const line = (text: string): number => spec.slice(0, spec.indexOf(text)).split('\n').length
  const found = stdout.trimEnd().split('\n')
  t.is(found.length, 3, stdout)
  t.true(found.some((one) => one.startsWith(`${file}:${line('required: 1')}:`) && one.includes('/Insight/required  ')))
  t.true(found.some((one) => one.startsWith(`${file}:${line('format: 2')}:`) && one.includes('/createdAt/format  ')))
  t.is(found[2], '2 problems')
})

test('check --spec validates fixtures against that spec', async (t) => {
  const spec = await changedSpec(t, (document) => {
    document.setIn(['components', 'schemas', 'Insight', 'required'], ['content', 'tag'])
    document.setIn(['components', 'schemas', 'Insight', 'properties', 'weight'], { type: 'integer' })
  })
  const weighed = validFixture
    .replace('"Moss."', '"Moss.", "tag": "care", "weight": 5')
    .replace('"Ferns."', '"Ferns.", "tag": "care"')
  const file = await writeTemporary(t, 'mine.json', weighed)
  t.is((await run(t, ['check', file])).code, 1)
  t.is((await run(t, ['check', '--spec', spec, file])).code, 0)
  const { stdout } = await exits(t, 1, ['check', '--spec', spec, await writeTemporary(t, 'mine.json', validFixture)])
  t.is(stdout.match(/#\/insights\/\d {2}.*tag/gu)?.length, 2, stdout)
})

test('check reports an invalid --spec only once, not for each file', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', 'openapi: 3.1.0\n')
  const { stdout } = await exits(t, 1, ['check', '--spec', spec])
  const lines = stdout.trimEnd().split('\n')
  t.is(new Set(lines).size, lines.length)
  for (const line of lines.slice(0, -1)) t.true(line.startsWith(`${spec}:`), line)
})

for (const words of [
  ['check', 'gone.json'],
  ['check', '--spec', 'gone.json'],
])
  test(`${words.join(' ')} names the missing file, and exits with 1`, async (t) => {
    const { stdout } = await exits(t, 1, words)
    t.regex(stdout, /^gone\.json {2}cannot be read: no such file or folder {2}.*\n1 problem\n$/u)
    t.is(stdout.includes(', or name another file with --spec\n'), words.includes('--spec'))
  })

test('check escapes control characters of a file in its output', async (t) => {
  const odd = String.raw`\u001b[31m\u009b`
  const text = validFixture.replace('"Moss."', `"Moss.", "${odd}": 1, "$access": ["${odd}"]`)
  const file = await writeTemporary(t, 'mine.json', text.replace('"fern"', `"${odd}"`).replace('"grace"', `"${odd}"`))
  const { stdout } = await exits(t, 1, ['check', file])
  t.true(stdout.split('\n').length >= 5, stdout)
  t.notRegex(stdout.replaceAll('\n', ''), /\p{Cc}/u)
})
