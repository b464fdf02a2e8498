import { copyFile, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'

import { watchFiles } from '#src/double/watch-files.js'

import { serveByProcess } from './helpers/cli.js'
import { listenToReloads, startHere } from './helpers/double-in-thread.js'
import { changesIn } from './helpers/double.js'
import { readPackageFile, replaceFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, idsSeenBy } from './helpers/http.js'
import { validFixture } from './helpers/refusals.js'
import { until as becomesTrue } from './helpers/until.js'

/** Starts a double that watches its own fixture and spec. */
async function watched(t: ExecutionContext, options: { readonly byName?: boolean } = {}) {
  const fixture = join(await temporaryFolder(t), 'mine.json')
  await writeFile(fixture, validFixture)
  const spec = await writeTemporary(t, 'insights.yaml', await readPackageFile('spec/insights.yaml'))
  const { onReload, reload } = listenToReloads()
  const double = await startHere({
    ...(options.byName ? { fixtures: dirname(fixture), fixture: 'mine' } : { fixture }),
    spec,
    watch: true,
    onReload,
  })
  t.teardown(() => double.stop())
  /** Waits for reloads until a condition is true. A file that is written in steps may be read between two steps. */
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    do await reload()
    while (!(await isSo()))
  }
  return { double, fixture, spec, reload, until }
}

const changed = validFixture.replace('"fern"', '"oak"')
const minimum = (spec: string, least: number): string => spec.replace(/minimum: \d+/u, `minimum: ${least}`)

test('a changed spec is loaded, and the state stays', async (t) => {
  const { double, spec, until } = await watched(t)
  const isFour = async (status: number): Promise<boolean> =>
    (await get(double, '/insights?limit=4', as('ada'))).status === status
  t.is((await del(double, '/insights/fern', as('ada'))).status, 204)
  t.true(await isFour(200))
  await replaceFile(spec, minimum(await readFile(spec, 'utf8'), 5))
  await until(() => isFour(400))
  await replaceFile(spec, minimum(await readFile(spec, 'utf8'), 4))
  await until(() => isFour(200))
  t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-2'])
})

test('an invalid fixture is reported, the last valid one stays, and a corrected one is loaded', async (t) => {
  const { double, fixture, reload } = await watched(t)
  t.is((await del(double, '/insights/fern', as('ada'))).status, 204)
  await replaceFile(fixture, changed.replace('"Moss."', '5'))
  const { file, problem } = await reload()
  t.is(file, fixture)
  t.true(problem instanceof ProblemsError)
  t.true(problem?.message.startsWith(`${fixture}:8:18  #/insights/1/content  `), problem?.message)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-2'])
  await replaceFile(fixture, changed)
  t.deepEqual(await reload(), { file: fixture, problem: undefined })
  t.deepEqual(await idsSeenBy(double, 'ada'), ['oak', 'insight-2'])
})

test('an invalid spec is reported, the last valid one stays, and a corrected one is loaded', async (t) => {
  const { double, reload, spec } = await watched(t)
  const text = await readFile(spec, 'utf8')
  await replaceFile(spec, minimum(text, 5).replace('type: integer', 'type: 7'))
  const { file, problem } = await reload()
  t.is(file, spec)
  t.true(problem instanceof ProblemsError)
  t.regex(problem?.message ?? '', /type is 7/u)
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
  t.is((await get(double, '/insights?limit=0', as('ada'))).status, 400)
  await replaceFile(spec, minimum(text, 5))
  t.deepEqual(await reload(), { file: spec, problem: undefined })
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 400)
})

test('a changed spec is loaded even if its time and size stay the same', async (t) => {
  const { double, reload, spec } = await watched(t)
  const { mtime } = await stat(spec)
  await writeFile(`${spec}~`, minimum(await readFile(spec, 'utf8'), 5))
  await utimes(spec, mtime, mtime)
  await reload()
  await utimes(`${spec}~`, mtime, mtime)
  await rename(`${spec}~`, spec)
  t.deepEqual(await reload(), { file: spec, problem: undefined })
  t.is((await get(double, '/insights?limit=4', as('ada'))).status, 400)
})

test('a fixture that was refused because of the spec is loaded when the spec is corrected', async (t) => {
  const { double, fixture, reload, spec } = await watched(t)
  const text = await readFile(spec, 'utf8')
  await replaceFile(spec, text.replace('type: integer', 'type: 7'))
  t.is((await reload()).file, spec)
  await replaceFile(fixture, changed)
  const refused = await reload()
  t.is(refused.file, fixture)
  t.regex(refused.problem?.message ?? '', /type is 7/u)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['fern', 'insight-2'])
  await replaceFile(spec, text)
  t.deepEqual(await reload(), { file: spec, problem: undefined })
  t.deepEqual(await idsSeenBy(double, 'ada'), ['oak', 'insight-2'])
  // The next change of the spec keeps the state, as always.
  t.is((await del(double, '/insights/oak', as('ada'))).status, 204)
  await replaceFile(spec, minimum(text, 5))
  t.deepEqual(await reload(), { file: spec, problem: undefined })
  t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-2'])
})

test('a spec that the fixture does not match is reported, and the last valid one stays', async (t) => {
  const { double, reload, spec } = await watched(t)
  const text = minimum(await readFile(spec, 'utf8'), 5)
  const stricter = text.replace(/required: \[ ?id, content ?\]/u, 'required: [id, content, tag]')
  t.not(stricter, text)
  await replaceFile(spec, stricter)
  t.regex((await reload()).problem?.message ?? '', /#\/insights\/0 .*tag/u)
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
})

test('a changed fixture that is not in use is loaded only when it is used', async (t) => {
  const { double, fixture, reload } = await watched(t, { byName: true })
  const other = join(dirname(fixture), 'other.json')
  await copyFile(fixture, other)
  await replaceFile(fixture, changed)
  t.is((await reload()).file, fixture, 'the copy was not reported before')
  t.is((await double.reset('other')).fixture, 'other')
  await replaceFile(other, validFixture.replace('"fern"', '"elm"'))
  t.deepEqual(await reload(), { file: other, problem: undefined })
  t.deepEqual(await idsSeenBy(double, 'ada'), ['elm', 'insight-2'])
})

test('a reset uses the fixture that was reloaded', async (t) => {
  const { double, fixture, reload } = await watched(t)
  await replaceFile(fixture, changed)
  await reload()
  t.is((await del(double, '/insights/oak', as('ada'))).status, 204)
  t.deepEqual((await changesIn(double)).removed, ['oak'])
  await double.reset()
  t.deepEqual(await idsSeenBy(double, 'ada'), ['oak', 'insight-2'])
})

test('--watch says how many changes a reload of the fixture has undone, in each format of the log', async (t) => {
  const formats = {
    pretty: /^mine\.json was reloaded\. The state was reset to it, which undid 2 changes\.$/mu,
    json: /^\{"event":"reload","file":"mine\.json","undone":2\}$/mu,
  }
  for (const [format, expected] of Object.entries(formats)) {
    const cwd = await temporaryFolder(t)
    const fixture = join(cwd, 'mine.json')
    await writeFile(fixture, validFixture)
    const words = ['--memory', '--watch', '--fixture', basename(fixture), '--log', format]
    const double = await serveByProcess(t, words, { cwd })
    for (const id of ['fern', 'insight-2']) t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
    await replaceFile(fixture, changed)
    await double.printed(expected)
    t.deepEqual(await idsSeenBy(double, 'ada'), ['oak', 'insight-2'])
  }
})

test('--watch prints each reload, and the reason of each refused one, also when the working folder is replaced', async (t) => {
  const cwd = await temporaryFolder(t)
  const fixture = join(cwd, 'mine.json')
  await writeFile(fixture, validFixture)
  const double = await serveByProcess(t, ['--memory', '--watch', '--fixture', basename(fixture)], { cwd })
  await replaceFile(fixture, changed.replace('"Moss."', '5'))
  await double.printed(/mine\.json was not reloaded; the previous version stays in use\.\n/u, 'stderr')
  t.deepEqual(await idsSeenBy(double, 'ada'), ['fern', 'insight-2'])
  await replaceFile(fixture, changed)
  await double.printed(/^mine\.json was reloaded\.\n/mu)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['oak', 'insight-2'])
  await rm(cwd, { recursive: true })
  await double.printed(/cannot be read: no such file or folder/u, 'stderr')
  await mkdir(cwd)
  await writeFile(fixture, validFixture)
  await double.printed(/was reloaded[^]*was reloaded\.\n/u)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['fern', 'insight-2'])
  const { code, stderr } = await double.end()
  t.is(code, 0)
  t.regex(stderr, /^(?:.*\/)?mine\.json:8:18 {2}#\/insights\/1\/content {2}/u)
})

/** The numbers of turns of the event loop between the start of a watch and the change. They differ, so that some changes come while it starts. */
const turns = Array.from({ length: 40 }, (_, index) => index)

test('a file is noticed even if its folder is created while the watch starts', async (t) => {
  const root = await temporaryFolder(t)
  for (const count of turns) {
    const folder = join(root, String(count), 'deep')
    const noticed: string[] = []
    const paths = { files: [join(folder, 'spec.yaml')], folders: [folder] }
    const watching = watchFiles(
      () => paths,
      (file) => noticed.push(file),
    )
    for (let turn = 0; turn < count; turn++) await nextTurn()
    await mkdir(folder, { recursive: true })
    const stop = await watching
    await writeFile(join(folder, 'spec.yaml'), 'written after the watch has started')
    t.true(await becomesTrue(() => noticed.length > 0, 10_000), `${count} turns`)
    stop()
  }
})
