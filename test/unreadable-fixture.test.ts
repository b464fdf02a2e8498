import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { assertRefused, fixtureProblems, validFixture } from './helpers/declare-invalid-fixture-tests.js'
import { startDouble } from './helpers/double.js'
import { temporaryFolder } from './helpers/temporary-files.js'

const validText = `$callers:
  ada: { token: ada-token }
insights:
  - content: Ferns.
`
const names = 'a b c d e f g h i'.split(' ')
const bomb = names
  .map((name, index) => {
    const inside = index === 0 ? 'x' : `*${names[index - 1] ?? ''}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => inside).join(', ')}]\n`
  })
  .join('')

interface Row {
  readonly title: string
  readonly extension: 'json' | 'yaml'
  /** The text. `▸` marks the expected position. */
  readonly text: string
  readonly what: RegExp
}
const rows: readonly Row[] = [
  { title: 'no content', extension: 'json', text: '▸', what: /is empty/u },
  { title: 'no content', extension: 'yaml', text: '▸', what: /is empty/u },
  { title: 'only white space', extension: 'json', text: '▸ \n\t\n', what: /is empty/u },
  {
    title: 'a repeated key',
    extension: 'json',
    text: validFixture.replace('"content": "Moss."', '"content": "Moss.", ▸"content": "Moss."'),
    what: /is not JSON.*unique/u,
  },
  {
    title: 'a repeated key, once with an escape',
    extension: 'json',
    text: validFixture.replace('"content": "Moss."', String.raw`"content": "Moss.", ▸"conten\u0074": "Moss."`),
    what: /is not JSON.*unique/u,
  },
  {
    title: 'a number that is too large',
    extension: 'json',
    text: validFixture.replace('"content": "Moss."', '"content": ▸1e999'),
    what: /the number 1e999 is too large/u,
  },
  {
    title: 'a repeated caller',
    extension: 'json',
    text: validFixture.replace('"grace":', '▸"ada":'),
    what: /is not JSON.*unique/u,
  },
  {
    title: 'a repeated key',
    extension: 'yaml',
    text: `${validText}    tag: care\n    ▸content: Moss.\n`,
    what: /is not YAML.*unique/u,
  },
  {
    title: 'two documents',
    extension: 'yaml',
    text: `${validText}▸---\n${validText}`,
    what: /is not YAML of one document/u,
  },
  {
    title: 'an alias without an anchor',
    extension: 'yaml',
    text: `${validText}  - content: ▸*moss\n`,
    what: /alias.*moss/iu,
  },
]
for (const { extension, text, title, what } of rows) {
  test(`a fixture with ${title} is refused with the position (${extension})`, (t) =>
    assertRefused(t, { title, by: text, what }, extension))
}

test('a fixture may start with a byte order mark, and must be UTF-8', async (t) => {
  const file = join(await temporaryFolder(t), 'mine.json')
  const [first = '', second = ''] = validFixture.split('Moss.')
  await writeFile(file, `\uFEFF${validFixture}`)
  const double = await startDouble({ fixture: file })
  await double.stop()
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

/** Errors whose wording and number depend on the parser. Their line is never before the given one. */
const mistakes: readonly (readonly [title: string, extension: string, text: string, line: number])[] = [
  ['a missing bracket', 'json', validFixture.slice(0, -3), 9],
  ['a missing quote', 'json', validFixture.replace('"Moss."', '"Moss.'), 8],
  ['a missing comma', 'json', validFixture.replace('"token": "ada-token" },', '"token": "ada-token" }'), 4],
  ['an extra comma', 'json', validFixture.replace('"Moss." }', '"Moss." },'), 8],
  ['a comment', 'json', validFixture.replace('"insights"', '# two of them\n  "insights"'), 6],
  ['single quotes', 'json', validFixture.replace('"Moss."', "'Moss.'"), 8],
  ['no quotes', 'json', validFixture.replace('"Moss."', 'Moss.'), 8],
  ['YAML in a .json file', 'json', validText, 1],
  ['a second document', 'json', `${validFixture}{}\n`, 10],
  ['a wrong indentation', 'yaml', validText.replace('  ada:', '  ada:\n grace:'), 2],
  ['a missing bracket', 'yaml', validText.replace('token: ada-token }', 'token: ada-token'), 3],
  ['a tab for an indentation', 'yaml', validText.replace('  ada', '\tada'), 2],
  ['a second document', 'yaml', `${validText}---\n${validText}`, 5],
]
for (const [title, extension, text, line] of mistakes) {
  test(`a fixture with ${title} is refused with the line (${extension})`, async (t) => {
    const problems = await fixtureProblems(t, extension, text)
    for (const { path, position, what } of problems) {
      t.true(what.startsWith(`is not ${extension.toUpperCase()}`), what)
      t.is(path, undefined)
      t.true((position?.line ?? 0) >= line, `line ${position?.line}`)
    }
    if (!title.includes('document'))
      t.regex(problems.at(-1)?.hint ?? '', /; \d+ lines? from here on could not be read$/u)
  })
}

test('a fixture with an alias bomb is refused without expanding it', async (t) => {
  const [problem] = await fixtureProblems(t, 'yaml', `${validText}${bomb}`)
  t.regex(problem?.what ?? '', /alias/iu)
  t.regex(problem?.hint ?? '', /alias/iu)
})

const depth = 100_000
const deep = '['.repeat(depth) + ']'.repeat(depth)
for (const extension of ['json', 'yaml']) {
  test(`a fixture with ${depth} nested levels is refused (${extension})`, async (t) => {
    for (const text of [deep, validFixture.replace('"Moss."', deep)]) {
      const [problem] = await fixtureProblems(t, extension, text)
      t.regex(problem?.what ?? '', /nested more than 1000 levels deep/u)
    }
  })
}

test('a fixture with 200 nested levels is parsed, and refused with the position of its problem', (t) =>
  assertRefused(
    t,
    {
      title: '',
      part: '"Moss."',
      by: `▸${'['.repeat(200)}${']'.repeat(200)}`,
      pointers: ['#/insights/1/content'],
      what: /content must be/u,
    },
    'json',
  ))

test('a YAML fixture of more than 8 MiB is refused before it is parsed', async (t) => {
  const [problem, ...others] = await fixtureProblems(t, 'yaml', 'x'.repeat(8 * 1024 * 1024 + 1))
  t.deepEqual(others, [])
  t.regex(problem?.what ?? '', /8\.0 MiB.*YAML/u)
  t.regex(problem?.hint ?? '', /smaller, or use JSON/u)
  t.is(problem?.position, undefined)
})

test('a missing fixture is refused with the given path', async (t) => {
  const fixture = join(await temporaryFolder(t), 'mine.json')
  const error = await t.throwsAsync(startDouble({ fixture }), { instanceOf: ProblemsError })
  t.true(error?.message.startsWith(`${fixture}  cannot be found  `), error?.message)
})

test('a fixture that is a folder is refused', async (t) => {
  const fixture = join(await temporaryFolder(t), 'mine.json')
  await mkdir(fixture)
  const error = await t.throwsAsync(startDouble({ fixture }), { instanceOf: ProblemsError })
  t.true(error?.message.startsWith(`${fixture}  cannot be read: `), error?.message)
})

test('an unknown fixture name is refused with the names of the fixtures', async (t) => {
  const error = await t.throwsAsync(startDouble({ fixture: 'defualt' }), { instanceOf: ProblemsError })
  t.regex(error?.message ?? '', /^defualt {2}.*default, edge-cases, empty, many/u)
})
