import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { type Problem, ProblemsError } from 'insights-double'

import { serve, startDouble } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get } from './helpers/http.js'
import { assertRefused, fixtures, type Refusal, replaceOnce, unmarked, validFixture } from './helpers/refusals.js'

const inValid = (part: string, by: string): string => replaceOnce(validFixture, part, by)

async function refuses(t: ExecutionContext, refusal: Pick<Refusal, 'marked' | 'message'>, as_: string): Promise<void> {
  const fixture = await writeTemporary(t, `mine.${as_}`, unmarked(refusal.marked))
  await assertRefused(t, refusal, fixture, () => startDouble({ fixture }))
}

/** Starts a double with an invalid fixture. @returns The problems. */
async function fixtureProblems(t: ExecutionContext, extension: string, text: string): Promise<readonly Problem[]> {
  const fixture = await writeTemporary(t, `mine.${extension}`, text)
  const error = await t.throwsAsync(startDouble({ fixture }), { instanceOf: ProblemsError })
  const problems = error?.problems ?? []
  t.true(problems.length > 0)
  for (const { file } of problems) t.is(file, fixture)
  return problems
}

const g = 'g'.repeat(65)
const ofName = `#/$callers/${g}  caller name "${g}" must match ^[A-Za-z0-9._~-]{1,64}$  rename it`
const ofToken = '#/$callers/grace/token  token has 513 characters  use at most 512'
const ofId = '#/insights/0/id  id must match pattern "^[A-Za-z0-9._~-]{1,128}$"  correct the value'
const ofContent = '#/insights/1/content  content must be string  correct the value'
const nested = inValid('"Moss."', `▸${'['.repeat(200)}${']'.repeat(200)}`)
/** Cases with long texts. */
const long: readonly Refusal[] = [
  { title: 'a caller name of 65 characters', marked: inValid('"grace":', `▸"${g}":`), message: ofName },
  { title: 'a token of 513 characters', marked: inValid('"grace-token"', `▸"${'t'.repeat(513)}"`), message: ofToken },
  { title: 'an id of 129 characters', marked: inValid('"fern"', `▸"${'f'.repeat(129)}"`), message: ofId },
  { title: '200 nested levels', marked: nested, message: ofContent },
]
for (const refusal of [...fixtures.refused, ...long])
  for (const extension of refusal.as === undefined ? ['json', 'yaml'] : [refusal.as])
    test(`a fixture with ${refusal.title} is refused (${extension})`, (t) => refuses(t, refusal, extension))

test('all problems of a fixture are reported, in the order of the text, without a word of requests', async (t) => {
  const marked = `{
  ▸"note": 1,
  "$callers": { "ada": { "token": ▸"a b" }, ▸"b c": { "token": "b", ▸"x": 1 } },
  "insights": [{ "id": ▸"a/b", "content": ▸5, "createdAt": ▸"now" }, ▸{ "$access": [▸"eve"] }, ▸7]
}`
  const message = [
    '#/note  there is no collection "note"  use insights',
    '#/$callers/ada/token  token must match ^[A-Za-z0-9._~+/-]+=*$, or be "*"  use letters, digits and -._~+/',
    '#/$callers/b c  caller name "b c" must match ^[A-Za-z0-9._~-]{1,64}$  rename it',
    '#/$callers/b c/x  key "x" is not known  use token, tokens or record',
    '#/insights/0/id  id must match pattern "^[A-Za-z0-9._~-]{1,128}$"  correct the value',
    '#/insights/0/content  content must be string  correct the value',
    '#/insights/0/createdAt  createdAt must be an RFC 3339 date-time such as 2026-01-05T09:30:00Z  correct the value',
    "#/insights/1  must have required property 'content'  correct the value",
    '#/insights/1/$access/0  "eve" is not a caller  use ada, b c',
    '#/insights/2  a record must be an object  write {…}',
  ].join('\n')
  for (const extension of ['json', 'yaml', 'yml']) await refuses(t, { marked, message }, extension)
})

const wrongTimes: readonly unknown[] = [
  1_767_605_400,
  null,
  '2026-01-05\n09:30:00Z',
  '2026-01-05T09:30:00Z\n',
  ...'2026-01-05 09:30:00Z|2026-01-05_09:30:00Z|2026-01-05T09:30:00|2026-01-05T09:30:00+01'.split('|'),
  ...'2026-01-05T09:30:00+24:00|2026-01-05T09:30:00+01:60|2026-01-05T09:30:00Z | 2026-01-05T09:30:00Z|'.split('|'),
  ...'2026-01-05T09:30:00,5Z|2026-01-05T09:30Z|2026-01-05T9:30:00Z|2026-01-05T25:30:00Z|yesterday'.split('|'),
  ...'2026-01-05T09:60:00Z|2026-01-05T09:30:00+0100|26-01-05T09:30:00Z|2026-01-05'.split('|'),
  ...'2026-02-30T09:30:00Z|2026-02-29T09:30:00Z|2026-13-01T09:30:00Z|2026-00-01T09:30:00Z'.split('|'),
]
for (const time of wrongTimes) {
  const rule = typeof time === 'string' ? 'an RFC 3339 date-time such as 2026-01-05T09:30:00Z' : 'string'
  const marked = inValid('"2026-01-05T09:30:00Z"', `▸${JSON.stringify(time)}`)
  const message = `#/insights/0/createdAt  createdAt must be ${rule}  correct the value`
  test(`a fixture with the time ${JSON.stringify(time)} is refused`, (t) => refuses(t, { marked, message }, 'json'))
}

const times = [
  ...'2026-01-05T09:30:00Z 2026-01-05t09:30:00z 2026-01-05T09:30:00.123456789Z 2026-01-05T09:30:00-00:00'.split(' '),
  ...'2026-01-05T09:30:00+05:45 2026-01-05T09:30:00-23:59 2026-01-01T00:30:00+14:00'.split(' '),
  ...'2024-02-29T23:59:59-03:30 0001-01-01T00:00:00Z'.split(' '),
]
for (const time of times)
  test(`the time ${time} of a fixture is sent unchanged`, async (t) => {
    const fixture = await writeTemporary(t, 'mine.json', validFixture.replace('2026-01-05T09:30:00Z', time))
    const reply = await get(await serve(t, { fixture }), '/insights', as('ada'))
    t.is(reply.status, 200)
    t.true(reply.text.includes(`"${time}"`), reply.text)
  })

test('a fixture may start with a byte order mark, and must be UTF-8', async (t) => {
  const file = join(await temporaryFolder(t), 'mine.json')
  const [first = '', second = ''] = validFixture.split('Moss.')
  await writeFile(file, `\uFEFF${validFixture}`)
  await serve(t, { fixture: file })
  const parts = [Buffer.from(first), Buffer.from([0xe9]), Buffer.from(second)]
  for (const [bytes, position] of [
    [Buffer.concat(parts), { line: 8, column: 19 }],
    [Buffer.from(`\uFEFF${validFixture}`, 'utf16le'), { line: 1, column: 1 }],
  ] as const) {
    await writeFile(file, bytes)
    const error = await t.throwsAsync(startDouble({ fixture: file }), { instanceOf: ProblemsError })
    t.deepEqual(error?.problems, [{ file, position, what: 'is not UTF-8', hint: 'save the file as UTF-8' }])
  }
})

const validText = '$callers:\n  ada: { token: ada-token }\ninsights:\n  - content: Ferns.\n'
/** Errors whose wording and number depend on the parser. Their line is never before the given one. */
const mistakes: readonly (readonly [title: string, extension: string, text: string, line: number])[] = [
  ['a missing bracket', 'json', validFixture.slice(0, -3), 9],
  ['a missing quote', 'json', inValid('"Moss."', '"Moss.'), 8],
  ['a missing comma', 'json', inValid('"token": "ada-token" },', '"token": "ada-token" }'), 4],
  ['an extra comma', 'json', inValid('"Moss." }', '"Moss." },'), 8],
  ['a comment', 'json', inValid('"insights"', '# two of them\n  "insights"'), 6],
  ['single quotes', 'json', inValid('"Moss."', "'Moss.'"), 8],
  ['no quotes', 'json', inValid('"Moss."', 'Moss.'), 8],
  ['YAML in a .json file', 'json', validText, 1],
  ['a second document', 'json', `${validFixture}{}\n`, 10],
  ['a wrong indentation', 'yaml', validText.replace('  ada:', '  ada:\n grace:'), 2],
  ['a missing bracket', 'yaml', validText.replace('token: ada-token }', 'token: ada-token'), 3],
  ['a tab for an indentation', 'yaml', validText.replace('  ada', '\tada'), 2],
  ['a second document', 'yaml', `${validText}---\n${validText}`, 5],
]
for (const [title, extension, text, line] of mistakes)
  test(`a fixture with ${title} is refused with the line (${extension})`, async (t) => {
    const problems = await fixtureProblems(t, extension, text)
    for (const { path, position, what } of problems) {
      t.true(what.startsWith(`is not ${extension.toUpperCase()}`), what)
      t.is(path, undefined)
      t.true((position?.line ?? 0) >= line, `line ${position?.line}`)
    }
    if (!title.includes('document')) t.regex(problems.at(-1)?.hint ?? '', /^correct the text here, /u)
  })

test('a YAML fixture of more than 8 MiB is refused before it is parsed', async (t) => {
  const [problem, ...others] = await fixtureProblems(t, 'yaml', 'x'.repeat(8 * 1024 * 1024 + 1))
  t.deepEqual(others, [])
  t.regex(problem?.what ?? '', /8\.0 MiB.*YAML/u)
  t.regex(problem?.hint ?? '', /smaller, or use JSON/u)
  t.is(problem?.position, undefined)
})

test('a fixture that is missing, a folder, or an unknown name is refused', async (t) => {
  const fixture = join(await temporaryFolder(t), 'mine.json')
  const refusal = async (name: string): Promise<string> =>
    (await t.throwsAsync(startDouble({ fixture: name }), { instanceOf: ProblemsError }))?.message ?? ''
  t.true((await refusal(fixture)).startsWith(`${fixture}  cannot be found  `))
  await mkdir(fixture)
  t.true((await refusal(fixture)).startsWith(`${fixture}  cannot be read: `))
  t.regex(await refusal('defualt'), /^defualt {2}.*default, edge-cases, empty, many/u)
})
