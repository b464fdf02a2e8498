/** Tests the start of a contract that is not the package's, without a fixture. */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleOptions, FixtureCaller } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { changedSpec, serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get, type Headers, json, sendJson } from './helpers/http.js'
import { writeContract, writeSecuredPlants } from './helpers/plants-spec.js'
import { object, text } from './resources/plants-contract.js'
import { contract, crud, type Schema } from './resources/rules-contract.js'

const bearer = { type: 'http', scheme: 'bearer' }
const basic = { type: 'http', scheme: 'basic' }
const key = { type: 'apiKey', in: 'header', name: 'X-Key' }

const demo = { token: 'demo-token' }
const [withKey, withBasic] = [{ 'x-key': 'demo-token' }, { authorization: `Basic ${btoa('demo:demo')}` }]
type Schemes = Readonly<Record<string, object>>
type Case = readonly [title: string, schemes: Schemes, caller: FixtureCaller | undefined, credentials: Headers[]]
const allTokens = { bearer: 'demo-token', key: 'demo-token', basic: 'demo:demo' }
const cases: readonly Case[] = [
  ['no credential', {}, undefined, [{}]],
  ['a bearer token', { bearer }, demo, [as('demo')]],
  ['an API key', { key }, demo, [withKey]],
  ['HTTP basic', { basic }, { token: 'demo:demo' }, [withBasic]],
  ['a token or a key', { bearer, key }, demo, [as('demo'), withKey]],
  ['all of them', { bearer, key, basic }, { tokens: allTokens }, [as('demo'), withKey, withBasic]],
]
for (const [title, schemes, caller, credentials] of cases)
  test(`a contract with ${title} starts with records${caller ? ' and the caller demo' : ''}`, async (t) => {
    const double = await serve(t, { spec: await writeSecuredPlants(t, schemes) })
    const { $callers = {}, plants } = await double.state()
    t.deepEqual([$callers, plants?.length], [caller ? { demo: caller } : {}, 5])
    for (const headers of credentials) {
      t.is((await sendJson(double, 'POST', '/plants', { name: 'Fern' }, headers)).status, 201)
      t.is((await get(double, '/plants', headers)).status, 200)
    }
    if (caller) t.is((await get(double, '/plants', as('ada'))).status, 401)
    t.is((await double.diff()).collections['plants']?.added.length, credentials.length)
    t.deepEqual(await double.reset(), { fixture: null, collections: { plants: 5 } })
  })

test('a contract with operations that are all mocked starts, too', async (t) => {
  const responses = { 200: { description: 'The time', content: { 'application/json': { example: { now: 1 } } } } }
  const spec = await writeContract(t, { '/clock': { get: { operationId: 'clock', responses } } })
  t.deepEqual(json(await get(await serve(t, { spec }), '/clock')), { now: 1 })
})

test('a contract that shares a collection with the default fixture starts with it if it fits, otherwise with generated records', async (t) => {
  t.is((await get(await serve(t, { spec: await changedSpec(t, () => {}) }), '/insights', as('ada'))).status, 200)
  const spec = await changedSpec(t, (document) => {
    document.setIn(['components', 'schemas', 'Insight', 'properties', 'content', 'maxLength'], 1)
  })
  const insights = asList(json(await get(await serve(t, { spec }), '/insights', as('demo')))).map(asObject)
  t.true(insights.every(({ content }) => String(content).length === 1))
  t.is(insights.length, 5)
})

test('the default fixture of a given folder is used for every contract', async (t) => {
  const fixtures = await temporaryFolder(t)
  const spec = await writeSecuredPlants(t, { bearer })
  t.deepEqual((await (await serve(t, { spec, fixtures })).state()).$callers, { demo })
  await writeFile(join(fixtures, 'default.json'), JSON.stringify({ $callers: { ada: { token: 'ada-token' } } }))
  t.deepEqual((await (await serve(t, { spec, fixtures })).state()).$callers, { ada: { token: 'ada-token' } })
})

test('each contract in a folder has a state file of its own, which the next start continues', async (t) => {
  const cwd = await temporaryFolder(t)
  await copyFile(await writeSecuredPlants(t, { bearer }), join(cwd, 'my plants.json'))
  await copyFile(await writeSecuredPlants(t, {}), join(cwd, 'other.json'))
  const serveSpec = (spec: string): ReturnType<typeof serveByCommand> => serveByCommand(t, ['--spec', spec], { cwd })
  const first = await serveSpec('my plants.json')
  t.is((await sendJson(first, 'POST', '/plants', { name: 'Fern' }, as('demo'))).status, 201)
  await first.end()
  const other = await serveSpec('other.json')
  t.is(asList(json(await get(other, '/plants'))).length, 5)
  await other.end()
  await (await serveByCommand(t, [], { cwd })).end()
  await (await serveByCommand(t, ['--spec', join(packageFolder, 'spec/insights.yaml')], { cwd })).end()
  const files = (await readdir(join(cwd, '.insights-double'))).toSorted()
  t.is(files.length, 3)
  t.regex(files.join(' '), /^my-plants-[\da-f]{8}\.json other-[\da-f]{8}\.json state\.json$/u)
  const again = await serveSpec(join(cwd, 'my plants.json'))
  const continued =
    /records {2}plants 6 \(1 caller\)\n {2}state {4}\.insights-double\/my-plants-\w+\.json \(continued; --fresh starts with new records\)\n {2}token/u
  t.regex(again.ready, continued)
  t.true((await readFile(join(cwd, '.insights-double', files[0] ?? ''), 'utf8')).includes('Fern'))
})

/** Starts a double of boxes, with generated ones. */
async function serveBoxes(t: ExecutionContext, request: Schema, response: Schema, options: DoubleOptions = {}) {
  const document = contract(crud('/boxes', { request, response }), {})
  const double = await serve(t, { spec: await writeTemporary(t, 'boxes.json', document), ...options })
  return { double, boxes: asList(json(await get(double, '/boxes'))).map(asObject) }
}

test('a text has one of the values that another body lists for it, and a status that of its example', async (t) => {
  const properties = { size: text, status: { ...text, example: 'SCHEDULED' } }
  const response = object({ id: text, ...properties }, 'id', 'size', 'status')
  const { boxes } = await serveBoxes(t, object({ size: { enum: ['BIG', 'SMALL'] } }), response)
  t.true(boxes.every(({ size, status }) => /^(?:BIG|SMALL)$/u.test(String(size)) && status === 'SCHEDULED'))
  t.is(boxes.length, 5)
})

test('a text has one of the values that its description lists, and a state is one of a country in an address only', async (t) => {
  const told = (description: string): object => ({ ...text, description })
  const properties = {
    phase: told('It is one of: sown, grown or cut.'),
    kind: told('Kind (e.g. herb, tree)'),
    form: told('The form, such as "tall" or "low", if known.'),
    part: told('The class, set to "Box".'),
    // None of these names its values.
    note: told('Free words, or none'),
    colour: told('Must not be one of "red", "blue"'),
    state: text,
    home: object({ state: text, city: text }, 'state', 'city'),
  }
  const response = object({ id: text, ...properties }, 'id', ...Object.keys(properties))
  const { boxes, double } = await serveBoxes(t, object(properties), response)
  for (const box of boxes) {
    const values = ['phase', 'kind', 'form', 'part'].map((name) => box[name]).join(' ')
    t.regex(values, /^(?:sown|grown|cut) (?:herb|tree) (?:tall|low) Box$/u)
    t.notRegex([box['note'], box['colour']].join(' '), /^(?:Free words|none) |red|blue$/u)
    t.regex(String(box['state']), /^(?:active|pending|completed)$/u)
    t.regex(String(asObject(box['home'])['state']), /^[A-Z]/u)
  }
  const created = asObject(json(await sendJson(double, 'POST', '/boxes', {}, as('demo'))))
  t.like(created, { phase: 'sown', kind: 'herb', form: 'tall', part: 'Box' })
})

test('an end and an error agree with the state, and a file with its media type', async (t) => {
  const told = (description: string, more: object = {}): object => ({ ...text, description, ...more })
  const time = { type: ['string', 'null'], format: 'date-time' }
  const properties = {
    status: { enum: ['building', 'failed', 'succeeded'] },
    min_size: { type: 'integer' },
    max_size: { type: 'integer' },
    amount: { ...text, pattern: String.raw`^[+-]?\d*\.?\d*$` },
    created_at: time,
    finished_at: time,
    failed_at: time,
    last_error: { ...text, example: 'Disk full' },
    file_name: text,
    content_type: text,
    time_limit: told('An ISO-8601 duration.'),
    recipient: told('Email address of the recipient.'),
    algorithm: told('The algorithm.', { example: 'RS256' }),
    price: { ...text, pattern: String.raw`^\d+\.\d\d$` },
    parts: { type: 'array', items: { ...text, pattern: '^[^a]$', enum: ['a'] } },
  }
  const required = ['id', 'status', 'created_at', 'finished_at', 'failed_at', 'parts']
  const response = object({ id: text, ...properties }, ...required)
  const { boxes } = await serveBoxes(t, object(properties), response, { records: 12 })
  t.is(boxes.length, 12)
  for (const box of boxes) {
    if (box['status'] === 'building') t.deepEqual([box['finished_at'], box['failed_at']], [null, null])
    if (box['status'] === 'failed') t.truthy(box['failed_at'])
    if (box['status'] !== 'failed') t.false('last_error' in box)
    const { algorithm = 'RS256', price = '1.00', recipient = 'a@b', time_limit = 'PT1M' } = box
    t.is(algorithm, 'RS256')
    t.regex([recipient, time_limit].join(' '), /^\S+@\S+ PT\d+M$/u)
    t.true(Number(price) < 1000 && Number(box['amount'] ?? 1) < 1000)
    t.true(Number(box['min_size'] ?? 0) <= Number(box['max_size'] ?? Infinity))
    const { content_type: type, file_name: name } = box
    if (typeof name === 'string' && typeof type === 'string')
      t.is({ jpg: 'image/jpeg', pdf: 'application/pdf', txt: 'text/plain', png: 'image/png' }[name.slice(-3)], type)
  }
})

test('a state file that was seeded otherwise is refused only if a flag asks for it', async (t) => {
  const spec = await writeSecuredPlants(t, {})
  const state = join(await temporaryFolder(t), 'state.json')
  const start = async (options: object): Promise<unknown> => {
    const double = await serve(t, { spec, state, ...options })
    const { $seed } = await double.state()
    await double.stop()
    return { ...asObject($seed), sha256: undefined }
  }
  t.deepEqual(await start({ records: 3 }), { records: 3, seed: 1, sha256: undefined })
  t.deepEqual(await start({}), { records: 3, seed: 1, sha256: undefined })
  const message =
    /was seeded with generated records \(--records 3, --seed 1\), not with generated records \(--records 4\) {2}start .*--fresh/u
  await t.throwsAsync(start({ records: 4 }), { message })
  await t.throwsAsync(start({ fixture: 'empty', fixtures: join(packageFolder, 'fixtures') }))
})
