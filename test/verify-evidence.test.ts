import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { exits } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { callerEnv as env, callerFlags as flags, serveInsights } from './verify/insights-service.js'
import { gainsRecord, type Switches, someInsights, tokens } from './verify/insights-service.js'
import { serveZones, zonesContract } from './verify/zones-service.js'

/** Records a service, with deletes. Default: a faithful one. @returns It, the evidence, and how to replay that. */
async function record(t: ExecutionContext, switches: Switches = {}, found = 0) {
  const service = await serveInsights(t, undefined, switches)
  service.mayChange = true
  const folder = join(await temporaryFolder(t), 'evidence')
  await exits(t, found, ['verify', service.url, ...flags, '--may', 'deleteInsight=in-1', '--record', folder], { env })
  const replay = (code: number, ...words: string[]) => exits(t, code, ['verify', '--evidence', folder, ...words])
  return { service, folder, replay }
}

const writeOverlay = (t: ExecutionContext, action: object): Promise<string> =>
  writeTemporary(t, 'overlay.json', { overlay: '1.0.0', info: { title: 'T', version: '1' }, actions: [action] })

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const name of (await readdir(folder)).toSorted()) texts.set(name, await readFile(join(folder, name), 'utf8'))
  return texts
}

test('evidence has no personal data, is the same in the next recording, and is replayed without the service', async (t) => {
  const { folder, replay, service } = await record(t)
  const texts = await textsIn(folder)
  const names = 'deleteInsight.jsonl listInsights.jsonl manifest.json records.json service.jsonl'
  t.is([...texts.keys()].join(' '), names)
  for (const [name, text] of texts)
    for (const secret of [...Object.values(tokens), 'Content of insight', 'Support tickets', '"in-1"'])
      t.false(text.includes(secret), `${name} ${secret}`)
  // Values of the same shape give the same evidence, so nothing in it says more about them.
  const turned = (text: unknown): string => String(text).replaceAll(/[a-m]/gu, 'n')
  service.reset(someInsights().map((each) => ({ ...each, content: turned(each['content']) })))
  service.mayChange = true
  const again = join(folder, 'again')
  await exits(t, 0, ['verify', service.url, ...flags, '--may', 'deleteInsight=in-1', '--record', again], { env })
  for (const [name, text] of await textsIn(again)) if (name !== 'manifest.json') t.is(text, texts.get(name) ?? '', name)
  const asked = service.log.length
  const { stderr, stdout } = await replay(0)
  t.regex(stdout, /^verified operations: listInsights, deleteInsight$/mu)
  t.is(stderr, '')
  t.is(service.log.length, asked)
})

test('a change that makes the double less true fails the replay, unless it is expected', async (t) => {
  const { replay } = await record(t)
  const overlayOf = (path: string, update: object) =>
    writeOverlay(t, { target: `$.paths['/insights'].get${path}`, update })
  const limit = await overlayOf('.parameters[0].schema', { minimum: 2 })
  const { stdout } = await replay(1, '--overlay', limit)
  t.regex(stdout, /^differs {2}the service answers 200, the double 400/mu)
  const expected = await replay(0, '--overlay', limit, '--expect-drift', 'listInsights')
  t.regex(expected.stdout, /^listInsights is expected to differ, which fails nothing$/mu)
  const mark = await overlayOf('', { 'x-double': { expected: 'changed' } })
  const agreeing = await replay(0, '--overlay', mark)
  t.regex(agreeing.stdout, /^listInsights agrees, so that it is expected to differ can go$/mu)
  const code = 'export const deleteInsight = () => ({ status: 404, body: { error: 404, message: "No." } })'
  await replay(1, '--handlers', await writeTemporary(t, 'handlers.mjs', code))
})

test('a state that is copied again while it is recorded has the callers of the recording', async (t) => {
  const { folder, replay } = await record(t, { keepsDeleted: true }, 1)
  const deleted = (await textsIn(folder)).get('deleteInsight.jsonl') ?? ''
  t.regex(deleted, /"copied":\{"\$callers":\{"ada":\{"token":"ada-token"/u)
  const { stdout } = await replay(1)
  t.notRegex(stdout, /the double 401/u)
})

test('with a url, verify says which evidence is out of date', async (t) => {
  const { folder, service } = await record(t)
  service.reset(someInsights())
  service.mayChange = true
  const words = ['verify', service.url, ...flags, '--may', 'deleteInsight=in-1', '--evidence', folder]
  t.notRegex((await exits(t, 0, words, { env })).stderr, /out of date/u)
  service.reset(someInsights(), { minimum: 0 })
  service.mayChange = true
  const { stderr } = await exits(t, 1, words, { env })
  t.regex(stderr, /^listInsights:limit-below-minimum is out of date: 400 before, now 200\.$/mu)
  t.is(stderr.match(/is out of date/gu)?.length, 1)
})

test('records that are created are replayed with the ids that the service has made', async (t) => {
  const { url } = await serveZones(t)
  const spec = await writeTemporary(t, 'zones.json', zonesContract)
  const folder = await temporaryFolder(t)
  const may = ['--may', 'createZone', '--may', 'deleteZone', '--pace', '10000']
  const summary = (stdout: string): string => /agrees \d+, differs \d+/u.exec(stdout)?.[0] ?? ''
  const live = await exits(t, 1, ['verify', url, spec, ...may, '--record', folder])
  t.is(summary((await exits(t, 1, ['verify', '--evidence', folder, spec])).stdout), summary(live.stdout))
  t.false((await readFile(join(folder, 'createZone.jsonl'), 'utf8')).includes('example'))
})

test('ids that are numbers are replaced in paths too', async (t) => {
  const spec = join(packageFolder, 'test/specs/shelves.yaml')
  const shelves = [4711, 4712].map((id) => ({ id, name: `Shelf ${id}` }))
  const books = ['a1', 'b2'].map((id) => ({ id, title: `Book ${id}`, $parents: { shelfId: 4711 } }))
  const { url } = await serve(t, { spec, fixture: { shelves, books } })
  const folder = await temporaryFolder(t)
  await exits(t, 0, ['verify', url, spec, '--pace', '10000', '--record', folder])
  for (const [name, text] of await textsIn(folder)) t.notRegex(text, /471[12]|Book a1|"verdict"/u, name)
  t.regex((await textsIn(folder)).get('listBooks.jsonl') ?? '', /"listBooks:unknown-shelfId"/u)
  await exits(t, 0, ['verify', '--evidence', folder, '--spec', spec])
})

test('evidence that is cut, edited, newer, old or unknown, or has a secret, is refused or named', async (t) => {
  const { folder, replay, service } = await record(t)
  const texts = await textsIn(folder)
  const list = texts.get('listInsights.jsonl') ?? ''
  const manifest = texts.get('manifest.json') ?? ''
  const edited = list.replace('"status":200', '"status":201')
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    [list.slice(0, 5000), /listInsights\.jsonl(?::\d+)? is (?:no JSON object|not as it was recorded)/u],
    [edited, /listInsights\.jsonl is not as it was recorded/u],
    [list.replace('Bearer ada-token', 'Bearer s3cr3t'), /listInsights\.jsonl:1 has a secret in authorization/u],
    [manifest.replace('"format": 1', '"format": 2'), /has the format 2, and this version reads 1\./u],
    ['{', /is no manifest of evidence/u],
  ]
  for (const [index, [text, message]] of cases.entries()) {
    const name = index < 3 ? 'listInsights.jsonl' : 'manifest.json'
    t.not(text, texts.get(name), String(message))
    await writeFile(join(folder, name), text)
    t.regex((await replay(2)).stderr, message)
    await writeFile(join(folder, name), texts.get(name) ?? '')
  }
  const old = manifest.replace(/"recordedAt": "[^"]*"/u, '"recordedAt": "2020-01-01T00:00:00.000Z"')
  await writeFile(join(folder, 'manifest.json'), old)
  t.regex((await replay(0, '--max-age', '30d')).stderr, /was recorded \d+ days ago, which is more than --max-age/u)
  t.regex((await replay(2, '--max-age', 'month')).stderr, /^--max-age must be a number of days/u)
  const without = await writeOverlay(t, { target: "$.paths['/insights/{id}']", remove: true })
  t.regex((await replay(1, '--overlay', without)).stderr, /the contract has no operation deleteInsight/u)
  const words = ['verify', service.url, ...flags, '--record']
  t.regex((await exits(t, 2, [...words, '/dev/null/x'], { env })).stderr, /^--record must name a folder/u)
  service.reset(someInsights(), gainsRecord)
  const { stderr } = await exits(t, 2, [...words, folder], { env })
  t.regex(stderr, /--record writes nothing: insights gained or lost records/u)
  t.is(await readFile(join(folder, 'listInsights.jsonl'), 'utf8'), list)
})
