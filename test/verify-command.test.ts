import { link, lstat, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { exits, run, runProcess } from './helpers/cli.js'
import { packageFolder, readSpec, temporaryFolder, writeFiles, writeTemporary } from './helpers/files.js'
import { readJunit } from './helpers/read-junit.js'
import { type InsightsService, serveInsights, someInsights, tokens } from './verify/insights-service.js'

const env = { ADA_TOKEN: tokens['ada'] ?? '', GATEWAY_KEY: 'Real-Key-Of-The-Gateway-3d' }
const asAda = ['--caller', 'ada=env:ADA_TOKEN', '--pace', '10000']
const only = ['--only', 'listInsights:limit-below-minimum']

/** Serves insights with a deviation that `only` finds. */
const setUp = async (t: ExecutionContext): Promise<{ readonly folder: string; readonly service: InsightsService }> => ({
  service: await serveInsights(t, someInsights(), { minimum: 0 }),
  folder: await temporaryFolder(t),
})

test('verify writes reports in every format and the overlay, and exits with 1 if it finds a difference', async (t) => {
  const { folder, service } = await setUp(t)
  const words = ['verify', service.url, ...asAda, '--header', 'x-key: env:GATEWAY_KEY']
  for (const extension of ['json', 'md', 'xml']) {
    const file = join(folder, `report.${extension}`)
    const overlay = join(folder, `overlay-${extension}.yaml`)
    const { stderr, stdout } = await exits(t, 1, [...words, ...only, '--report', file, '--apply', overlay], { env })
    const sent = '-H "x-key: ${GATEWAY_KEY}" -H "accept: application/json" -H "authorization: Bearer ${ADA_TOKEN}"'
    t.true(stdout.includes(`curl -i ${sent} "${service.url}/insights?limit=0"`), stdout)
    t.true(service.log.every(({ headers }) => headers['x-key'] === env.GATEWAY_KEY))
    t.regex(stdout, /double: 400 application\/json {3}<-- differs\n/u)
    t.regex(stdout, /edit: `minimum: 1` → `0` at .*insights\.yaml:\d+\n/u)
    const text = await readFile(file, 'utf8')
    for (const each of [text, stdout, stderr]) for (const secret of Object.values(env)) t.false(each.includes(secret))
    t.true(text.includes('listInsights:limit-below-minimum'))
    t.regex(await readFile(overlay, 'utf8'), /minimum: 0/u)
    if (extension !== 'xml') continue
    const [testCase] = await readJunit(text)
    t.is(testCase?.result, 'failed')
    t.regex(testCase?.message ?? '', /^the service answers 200, the double 400 \(.*insights\.yaml:\d+\)$/u)
  }
  const both = join(folder, 'both.yaml')
  const again = ['--overlay', join(folder, 'overlay-md.yaml'), '--apply', both]
  service.reset(someInsights(), { minimum: 0, deletedStatus: 200 })
  service.mayChange = true
  const may = ['--may', 'deleteInsight=in-1', '--only', 'deleteInsight:removes-1']
  await exits(t, 1, [...words, ...again, ...may], { env })
  t.regex(await readFile(both, 'utf8'), /minimum: 0[^]*"200":/u)
  service.reset(someInsights())
  service.mayChange = false
  await exits(t, 0, [...words, ...only], { env })
  service.reset(someInsights())
  const plan = await run(t, [...words, '--plan'], { env })
  t.is(service.log.length, 0)
  t.regex(plan.stdout, /^ {2}GET \/insights\?limit=0$/mu)
})

test('--apply extends an overlay that exists, with its comments, and adds no edit twice', async (t) => {
  const { folder, service } = await setUp(t)
  const words = ['verify', service.url, ...asAda, ...only]
  const head = `# Our decisions.
overlay: 1.0.0
info: { title: Ours, version: 1.2.3 } # keep
actions:
  # The support team asked for it.
  - target: $.info
    update: { x-team: "plants" }
`
  const given = join(folder, 'given.yaml')
  await writeFile(given, head)
  const other = await writeTemporary(t, 'other.yml', head)
  const asJson = await writeTemporary(t, 'other.json', asObject(parse(head)))
  const apply = (code: number, ...flags: readonly string[]) => exits(t, code, [...words, ...flags], { env })
  const actionsIn = async (file: string): Promise<readonly unknown[]> =>
    asList(asObject(parse(await readFile(file, 'utf8')))['actions'])
  for (const file of [other, asJson]) {
    await apply(1, '--apply', file)
    t.is((await actionsIn(file)).length, 2)
    t.regex((await apply(1, '--apply', file)).stderr, /--apply writes nothing: the overlay has these edits\./u)
    t.is((await actionsIn(file)).length, 2)
  }
  const text = await readFile(other, 'utf8')
  t.true(text.startsWith(head), text)
  t.is(text.slice(head.length).split('- target:').length, 2, text)
  t.deepEqual(asObject(JSON.parse(await readFile(asJson, 'utf8')))['info'], { title: 'Ours', version: '1.2.3' })
  // The overlay of the run itself, by another name of it.
  const alias = join(folder, 'link.yaml')
  await symlink(given, alias)
  await apply(1, '--overlay', given, '--apply', alias)
  t.true((await readFile(given, 'utf8')).startsWith(head))
  t.true((await lstat(alias)).isSymbolicLink())
  await apply(0, '--overlay', given)
  // A new file begins with the overlay of the run.
  await writeFile(given, head)
  const copy = join(folder, 'copy.yaml')
  await apply(1, '--overlay', given, '--apply', copy)
  t.is(await readFile(copy, 'utf8'), text)
  t.is(await readFile(given, 'utf8'), head)
})

test('no output replaces a file that the command reads, by any name of it, also with --force', async (t) => {
  const { folder, service } = await setUp(t)
  const file = (name: string): string => join(folder, name)
  const actions = [{ target: '$.info', update: { 'x-team': 'plants' } }]
  const contents = {
    'spec.json': JSON.stringify(await readSpec()),
    'overlay.json': JSON.stringify({ overlay: '1.0.0', info: { title: 'Ours', version: '1.0.0' }, actions }),
    'handlers.mjs': 'export const deleteInsight = ({ next }) => next()',
    'fixtures/mine.json': '{ "insights": [] }',
  }
  await writeFiles(folder, contents)
  for (const name of Object.keys(contents)) {
    const plain = name.replaceAll(/\W/gu, '-')
    await symlink(file(name), file(`symlink-${plain}.json`))
    await link(file(name), file(`hard-link-${plain}.json`))
  }
  const real = [service.url, ...asAda, '--spec', file('spec.json'), '--force']
  const overlay = ['--overlay', file('overlay.json')]
  const handlers = ['--handlers', pathToFileURL(file('handlers.mjs')).href]
  const serving = ['--port', '0', '--memory', '--spec', file('spec.json'), ...handlers]
  const fixtures = ['--fixtures', file('fixtures'), '--fixture', 'mine']
  const cases: readonly (readonly [words: readonly string[], output: string, input: string])[] = [
    [['verify', ...real], 'apply', 'spec.json'],
    [['verify', ...real, ...overlay], 'apply', 'spec.json'],
    [['verify', ...real], 'report', 'spec.json'],
    [['verify', ...real, ...overlay], 'report', 'overlay.json'],
    [['pull', ...real], 'out', 'spec.json'],
    [['pull', ...real, ...overlay], 'out', 'overlay.json'],
    [[...serving, ...fixtures], 'report', 'spec.json'],
    [[...serving, ...fixtures], 'report', 'handlers.mjs'],
    [[...serving, ...fixtures], 'report', 'fixtures/mine.json'],
  ]
  for (const [words, output, input] of cases) {
    const plain = input.replaceAll(/\W/gu, '-')
    for (const name of [input, `symlink-${plain}.json`, `hard-link-${plain}.json`]) {
      if (!name.endsWith('.json')) continue
      // With handlers, the double has a process of its own.
      const start = words.includes('--handlers') ? runProcess : run
      const { code, stderr } = await start(t, [...words, `--${output}`, file(name)], { env })
      t.is(code, 2, `${output} ${name}`)
      const refusal = `^--${output} must not replace a file that the command reads, got .* of --\\w+\\.\n$`
      t.regex(stderr, new RegExp(refusal, 'u'))
    }
  }
  for (const [name, text] of Object.entries(contents)) t.is(await readFile(file(name), 'utf8'), text)
  t.is(service.log.length, 0)
  const kept = ['overlay.json', 'handlers.mjs', 'fixtures', 'spec.json']
  t.deepEqual((await readdir(folder)).filter((name) => !name.includes('link')).toSorted(), kept.toSorted())
})

test('an output file is replaced as a whole, and keeps its mode', async (t) => {
  const { folder, service } = await setUp(t)
  const real = [service.url, ...asAda, '--force']
  const verifying = ['verify', ...real, ...only]
  for (const words of [['pull', ...real, '--out'], ...['--apply', '--report'].map((flag) => [...verifying, flag])]) {
    const out = join(folder, 'out.json')
    const before = join(folder, 'before.json')
    await rm(before, { force: true })
    await writeFile(out, '{ "old": true }', { mode: 0o600 })
    await link(out, before)
    const { code, stderr } = await run(t, [...words, out], { env })
    t.true(code === 0 || code === 1, stderr)
    // A file that is written in place would change under its other name too.
    t.is(await readFile(before, 'utf8'), '{ "old": true }')
    t.not(await readFile(out, 'utf8'), '{ "old": true }')
    t.is((await stat(out)).mode & 0o777, 0o600)
  }
  t.deepEqual((await readdir(folder)).toSorted(), ['before.json', 'out.json'])
})

test('invalid arguments are refused with one sentence', async (t) => {
  const service = await serveInsights(t)
  const responses = '{ "204": { description: Done. } }'
  const text = `openapi: 3.1.0\ninfo: { title: None, version: 1.0.0 }\npaths: { /x: { post: { responses: ${responses} } } }\n`
  const nothing = await writeTemporary(t, 'nothing.yaml', text)
  const plants = join(packageFolder, 'test/specs/plants.yaml')
  const cases: Readonly<Record<string, RegExp>> = {
    '': /^verify needs the URL of the service/u,
    URL: /^The contract needs a credential/u,
    'URL ADA --may deleteInsigth': /^--may: .* did you mean deleteInsight\?/u,
    'URL ADA --may deleteInsight=no-such-id': /^--may: no listing of insights has the id "no-such-id"/mu,
    'URL ADA --only listInsigths': /^--only: .* did you mean listInsights\?/mu,
    'URL ADA --report report.html': /^--report must name a/u,
    'URL --caller ada=env:NOT_SET': /^--caller: the environment variable NOT_SET is not set\.$/mu,
    [`URL ADA --apply ${nothing}`]:
      /^--apply: .* exists, and only an overlay is extended: is not an OpenAPI Overlay\. Use --force to replace it\.$/mu,
    [`URL ADA --spec ${plants} --may createPlant`]:
      /^--may: createPlant creates records, and they have to be removed again; add --may removePlant\.$/mu,
    [`URL --spec ${nothing}`]: /nothing to verify/u,
    'http://127.0.0.1:1 ADA': /refuses connections/u,
  }
  for (const [line, message] of Object.entries(cases)) {
    service.reset(someInsights())
    const given = line.replace('URL', service.url).replace('ADA', asAda.join(' '))
    const { stderr } = await exits(t, 2, ['verify', ...given.split(' ').filter(Boolean)], { env })
    const sends = /no-such-id|listInsigths/u.test(line)
    t.regex(stderr, message)
    t.is(service.log.length > 0, sends, line)
    t.true(service.log.every(({ method, url }) => method === 'GET' && url.startsWith('/insights')))
  }
})
