import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { type DoubleHandle, ProblemsError } from 'insights-double'

import { parseYaml } from '#src/documents/parse-yaml.js'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { startHere } from './helpers/double-in-thread.js'
import { control, serveHere } from './helpers/double.js'
import { replaceFile, temporaryFolder, writeFiles } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json } from './helpers/http.js'
import { until } from './helpers/until.js'

const validText = JSON.stringify({
  $callers: { ada: { token: 'ada-token' } },
  insights: ['one', 'two', 'three'].map((id) => ({ id, content: id })),
})
const caller = '$callers: { ada: { token: ada-token } }\n'
const levels = 'abcdefghijklmnop'.split('')
const nineTimes = (text: string): string => Array(9).fill(text).join(', ')
const bomb = levels
  .map((name, index) => `${name}: &${name} [${nineTimes(index === 0 ? 'x' : `*${levels[index - 1]}`)}]`)
  .join('\n')
const chain = Array.from({ length: 2000 }, (_, at) => `k${at}: &k${at} [${at === 0 ? 1 : `*k${at - 1}`}]`).join('\n')
const itself = `${caller}insights:\n  - &a { content: x, <<: *a }\n`
const tooMany = /the aliases add more than [\d,]+ values {2}use fewer aliases/u
const inside = /bad\.yaml:2:15 .*alias \\?"a\\?" is inside the value that it names/u
const depth = 100_000
const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
const inContent = validText.replace('"one"}', `${nested}}`)
const tooDeep = /more than 1000 levels deep/u
const record = { content: 'x'.repeat(1000), tag: 'large' }

/** Files that would need too much memory or time. Each is refused with the reason. */
const files: readonly (readonly [title: string, name: string, text: string, says: RegExp])[] = [
  ['an alias bomb', 'bad.yaml', `${caller}insights:\n  - content: x\n${bomb}\n`, tooMany],
  ['an alias bomb in a content', 'bad.yaml', `${caller}${bomb}\ninsights:\n  - content: *p\n`, /alias/iu],
  ['a merge key that contains itself', 'bad.yaml', itself, /alias|anchor|not known|<</iu],
  ['aliases of aliases', 'bad.yaml', caller + chain, /bad\.yaml:\d+:\d+ .*the aliases add more than \d+,\d+ values/u],
  ['a list that contains itself', 'bad.yaml', `${caller}insights: &a [*a]\n`, inside],
  ['an unknown alias', 'bad.yaml', `${caller}insights: *none\n`, /bad\.yaml:2:11 .*alias \\?"none\\?" has no anchor/u],
  ['lists in lists', 'bad.json', nested, tooDeep],
  ['objects in objects', 'bad.json', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, /deep|stack|JSON|fixture|"a"/iu],
  ['lists in lists', 'bad.yaml', nested, /:1:1001 .*more than 1000 levels deep/u],
  ['lists in lists, written with dashes', 'bad.yaml', `${'- '.repeat(depth)}x`, /more than 1000 levels deep/u],
  ['a content of nested lists', 'bad.json', inContent, tooDeep],
  ['a content of nested lists', 'bad.yaml', inContent, tooDeep],
  ['10,000,001 values', 'bad.json', `{"insights":[${'0,'.repeat(10_000_000)}0]}`, /10,000,000 values/u],
  ['10 MB', 'bad.yaml', `${caller}insights:\n${`  - content: ${record.content}\n`.repeat(10_000)}`, /MiB/u],
]

for (const [title, name, text, says] of files) {
  test.serial(`a start with a fixture of ${title} is refused (${name})`, async (t) => {
    const folder = await folderWith(t, name, text)
    const error = await t.throwsAsync(startHere({ fixture: join(folder, name) }), { instanceOf: ProblemsError })
    t.regex(error?.message ?? '', says)
  })

  test.serial(`a reset to a fixture of ${title} is refused and changes nothing (${name})`, async (t) => {
    const double = await serveHere(t, { fixtures: await folderWith(t, name, text), fixture: 'good' })
    await del(double, '/insights/two', as('ada'))
    const reply = await control(double, 'POST', '/reset', { fixture: 'bad' })
    assertError(t, reply, 400)
    t.regex(reply.text, says)
    await assertUnharmed(t, double)
    const listed = asList(json(await control(double, 'GET', '/fixtures'))).map(asObject)
    const shown = listed.map((fixture) => `${String(fixture['name'])} ${Array.isArray(fixture['problems'])}`)
    t.deepEqual(shown, ['bad true', 'good false'])
  })

  test.serial(`--watch does not load a fixture of ${title} (${name})`, async (t) => {
    const heard: (Error | undefined)[] = []
    const folder = await temporaryFolder(t)
    const watched = join(folder, name)
    await writeFile(watched, validText)
    const onReload = (_file: string, problem?: Error): unknown => heard.push(problem)
    const double = await serveHere(t, { fixtures: folder, fixture: watched, watch: true, onReload })
    await del(double, '/insights/two', as('ada'))
    await replaceFile(watched, text)
    t.true(await until(async () => (await get(double, '/insights', as('ada'))) && heard.length > 0))
    t.regex(heard[0]?.message ?? '', says)
    await assertUnharmed(t, double)
  })
}

async function folderWith(t: ExecutionContext, name: string, text: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFiles(folder, { [name]: text, 'good.json': validText })
  return folder
}

async function assertUnharmed(t: ExecutionContext, double: DoubleHandle): Promise<void> {
  t.deepEqual(await idsSeenBy(double, 'ada'), ['one', 'three'])
  t.is((await del(double, '/insights/three', as('ada'))).status, 204)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['one'])
}

test.serial('a fixture of 20,000 aliases and merges is loaded, in time that grows in proportion', async (t) => {
  const text = (count: number): string => {
    const records = Array.from({ length: count }, (_, index) => `  - { <<: *base, id: "${index}", title: *title }\n`)
    return `base: &base { content: x, tag: care }\ntitle: &title Fern\ninsights:\n${records.join('')}`
  }
  const cpu = (count: number): number => {
    const before = process.cpuUsage().user
    const { value } = parseYaml('many.yaml', text(count))
    const { insights } = value as { readonly insights: readonly unknown[] }
    t.deepEqual(insights.at(-1), { content: 'x', tag: 'care', id: String(count - 1), title: 'Fern' })
    return process.cpuUsage().user - before
  }
  cpu(2000)
  // Ten times as many records took a hundred times as long.
  t.true(cpu(20_000) < 100 * cpu(2000))
})
