import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import test, { type ExecutionContext } from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, run } from './helpers/cli.js'
import { excuse, serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { sendRequest } from './helpers/http.js'
import { alarmsContract, serveAlarms } from './verify/alarms-service.js'
import { verify, type Verified } from './verify/run-verify.js'
import { serveZones, soa, zonesContract } from './verify/zones-service.js'

const setUp = async (t: ExecutionContext) => {
  const spec = await writeTemporary(t, 'zones.json', zonesContract)
  return { ...(await serveZones(t)), spec }
}

const [may, flags] = [['createZone', 'deleteZone'] as const, ['--pace', '10000'] as const]
const mayChange = may.flatMap((name) => ['--may', name])
const found = ({ report }: Verified, what: RegExp): readonly string[] =>
  report.differences.find((each) => what.test(each.what))?.places ?? []

test('a listing that cannot be read is reported, and the others are pulled, with what only reads of records show', async (t) => {
  const { log, spec, url } = await setUp(t)
  const { stderr } = await exits(t, 1, ['pull', url, spec, ...flags])
  t.regex(stderr, /^http:\S+\/brokens cannot be read: it answers 503\.$/mu)
  const { stdout } = await exits(t, 0, ['pull', url, spec, ...flags, '--partial'])
  const own = { kind: 'Native', soa, twin: {}, state: 'new', by: 'admin' }
  const whole = ['a.example', 'b.example'].map((id) => ({ id, name: id, notes: `About ${id}`, ...own }))
  t.deepEqual(JSON.parse(stdout), { ...JSON.parse(stdout), zones: whole, brokens: [] })
  t.deepEqual(log.slice(0, 4), ['GET /brokens', 'GET /zones', 'GET /zones/a.example', 'GET /zones/b.example'])
  const plan = await run(t, ['pull', url, spec, '--plan'])
  t.regex(plan.stdout, /^GET \/zones\/\{zoneId\} for the first record, and for each if that shows other values/mu)
})

test('a path without a value is not sent, and the flag that gives one is named', async (t) => {
  const { log, spec, url } = await setUp(t)
  const { stdout } = await run(t, ['verify', url, spec, ...flags])
  const why = /^could not check, because no value of toolId is known, which --value toolId=<value> gives: checkTool/mu
  t.regex(stdout, why)
  t.notRegex(log.join('\n'), /\/\/|\/tools/u)
  const withKey = ['verify', url, spec, ...flags, '--value', 'toolId=hammer', '--header', 'x-key: env:KEY']
  const keyed = await run(t, withKey, { env: { KEY: 'a key of the gateway' } })
  t.regex(keyed.stdout, /answers 403, the double 200 .*\n.* places: .*:without-headers/u)
  t.true(log.includes('GET /tools/hammer/check'))
  t.true(log.some((line) => /^GET \/tools\/verify-[\da-f]{8}\/check$/u.test(line)))
  const { stderr } = await exits(t, 2, ['verify', url, spec, '--value', 'toolid=hammer'])
  t.regex(stderr, /^--value must be <parameter>=<value>, .*did you mean toolId\?/u)
  const books = await run(t, ['pull', url, join(packageFolder, 'test/specs/shelves.yaml'), ...flags, '--value', 'id=x'])
  t.regex(books.stderr, /\/shelves cannot be read/u)
})

test('bodies are like records, a refused one is followed by another, and ids that equal a property are found', async (t) => {
  const { log, spec, url, zones } = await setUp(t)
  const verified = await verify(url, { spec, callers: [], may: [...may, 'importZone'] })
  t.is(zones.size, 2)
  t.deepEqual(found(verified, /sends 0 records/u), ['listZones:owner-unknown-value'])
  t.deepEqual(found(verified, /^new changes what the service sends/u), ['getImports:new-true'])
  const outcomeOf = (name: string) => verified.report.probes.find((probe) => probe.name === name)?.outcome
  for (const name of ['malformed-json', 'sends']) t.is(outcomeOf(`importZone:${name}`), 'differs')
  t.regex(verified.report.notes.join('\n'), /^importZone refuses each body that was tried; --value/mu)
  // The service always has the same.
  for (const name of ['without', 'other-value-of']) t.is(outcomeOf(`createZone:${name}-soa.mail`), 'differs')
  t.is(outcomeOf('createZone:other-value-of-soa.until-2'), 'differs')
  t.deepEqual(found(verified, /^the id of each record of the service equals its name/u), ['createZone:id-from'])
  t.deepEqual(found(verified, /^the service does not send \[\]\.notes/u)[0], 'listZones:list')
  const little = verified.report.probes.find(({ name }) => name === 'createZone:creates-with-little')
  // The service needs notes.
  t.true(little?.differences.some(({ what }) => what === 'the service answers 422, the double 201'))
  const places = ['readBroken', 'readZone'].map((id) => `${id}:unknown-id-accept-anything`)
  t.deepEqual(found(verified, /the media type text\/plain/u), places)
  await verify(url, { spec, callers: [], may: ['deleteZone=a.example'], only: 'deleteZone' })
  const removal = ['DELETE /zones/a.example', 'GET /zones/a.example', 'GET /zones']
  t.deepEqual(log.slice(log.indexOf('DELETE /zones/a.example')).slice(0, 3), removal)
})

test('--apply writes only edits with which a difference disappears and none appears, and removes no status', async (t) => {
  const { spec, url } = await setUp(t)
  const overlay = join(await temporaryFolder(t), 'real.yaml')
  const words = ['verify', url, spec, ...flags, ...mayChange]
  const before = await exits(t, 1, [...words, '--apply', overlay])
  const text = await readFile(overlay, 'utf8')
  t.regex(text, /x-double:\n {8}id: id\n {8}from: name/u)
  t.notRegex(text + before.stdout, /'\d{3}'\]\n *remove|token-of-the-service/u)
  const after = await exits(t, 1, [...words, '--overlay', overlay])
  const countOf = (stdout: string): number => Number(/differs (\d+)/u.exec(stdout)?.[1])
  t.true(countOf(after.stdout) < countOf(before.stdout), after.stdout)
  t.notRegex(after.stderr, /targets nothing/u)
  const double = await serve(t, { spec, overlay, fixture: { zones: [] } })
  const headers = { 'content-type': 'application/json' }
  const post = (body: object, path = 'zones'): Promise<Response> =>
    fetch(`${double.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const get = async (path: string): Promise<unknown> => (await fetch(`${double.url}${path}`)).json()
  t.is((await post({ name: 'c.example' })).status, 400)
  const zone = { name: 'c.example', kind: 'Native', notes: 'One' }
  const { touched, ...created } = (await (await post(zone)).json()) as Record<string, unknown>
  t.deepEqual(created, { id: 'c.example', name: 'c.example', kind: 'Native', twin: {}, state: 'new', by: 'admin' })
  t.regex(String(touched), /^\d{4}-\d\d-\d\dT/u)
  t.like(await get('/zones/c.example'), zone)
  // Only the creation needs what it needs, although another operation has the same body.
  t.is((await post({}, 'imports')).status, 202)
  t.regex(before.stderr, /^Not in the overlay: /mu)
  t.notRegex(before.stderr, /^Not in the overlay: (?:add|replace) the body/mu)
  t.deepEqual(await (await post(zone)).json(), { error: 'c.example exists.' })
  t.deepEqual(await get('/zones'), [{ id: 'c.example', name: 'c.example', kind: 'Native', twin: {} }])
  t.like(await get('/zones?kind=Other'), [{ id: 'c.example' }])
  t.deepEqual(await get('/version'), { number: '4.7.3', token: '[redacted]' })
  t.like(await (await fetch(`${double.url}/zones/none`)).json(), { reason: null })
})

test('a second --apply writes what the first differences have hidden: which response answers an error, what a body is for', async (t) => {
  const { spec, url } = await setUp(t)
  const overlay = join(await temporaryFolder(t), 'real.yaml')
  const words = ['verify', url, spec, ...flags, ...mayChange, '--apply', overlay, '--value', 'toolId=hammer']
  await exits(t, 1, words)
  await exits(t, 1, [...words, '--overlay', overlay])
  t.regex(await readFile(overlay, 'utf8'), /off:\n *- body/u)
  const double = await serve(t, { spec, overlay, fixture: { zones: [] } })
  excuse(double, 'the overlay documents more statuses')
  const statusOf = async (method: string, path: string, body: string): Promise<number> =>
    (await sendRequest(double, method, path, { headers: { 'content-type': 'application/json' }, body })).status
  t.is(await statusOf('POST', '/zones', '{"name":"c.example"}'), 422)
  t.is(await statusOf('DELETE', '/zones/none', '{}'), 404)
  t.is(await statusOf('GET', '/zones?details=maybe', ''), 200)
  t.is(await statusOf('GET', '/tools/hammer/check', ''), 404)
})

test('the private double has the handlers', async (t) => {
  const { spec, url } = await setUp(t)
  const code = "export const readVersion = () => ({ body: { number: '4.7.3', token: 'other' } })"
  const words = ['verify', url, spec, ...flags, '--only', 'readVersion:get', '--value', 'mail=of.another.zone']
  t.notRegex((await run(t, words)).stdout, /^verified/mu)
  const { stdout } = await run(t, [...words, '--handlers', await writeTemporary(t, 'handlers.mjs', code)])
  t.regex(stdout, /^verified operations: readVersion$/mu)
})

test('one cause is one entry, in the order in which clients notice it, and each command gives the response that is shown', async (t) => {
  const { spec, url } = await setUp(t)
  const { report } = await verify(url, { spec, callers: [] })
  const parts = report.differences.map(({ service }) => service.findIndex((line) => line.includes('<-- differs')))
  t.is(report.differences.filter(({ what }) => what.startsWith('the service answers 405')).length, 2)
  t.deepEqual(parts.slice(0, 3), [0, 0, 0])
  t.true(report.differences.length > 5)
  for (const { request, service, what } of report.differences) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${request} -s`])
    const [head = ''] = service
    t.is(stdout.split(' ')[1], head.split(' ')[0], what)
    const type = /^content-type: (.+?)\r?$/mu.exec(stdout)?.[1] ?? '(no content type)'
    t.is(type, head.replace(/^\d+ | {3}<--.*/gu, ''), what)
  }
  const verdicts = pluck(report.operations, 'verdict').join(' ')
  t.is(verdicts, 'differs differs differs differs differs unseen differs differs unseen unseen')
})

test('an order that changes is one difference, and a created record is found by the id that only the parameter names', async (t) => {
  const { log, url } = await serveAlarms(t)
  const spec = await writeTemporary(t, 'alarms.json', alarmsContract)
  const options = { spec, callers: [], may: ['createAlarm', 'deleteAlarm'] }
  const verified = await verify(url, options)
  const { differences, notes, probes } = verified.report
  const isOrder = ({ what }: { readonly what: string }): boolean => what.includes('order')
  t.deepEqual(pluck(differences.filter(isOrder), 'places'), [['listAlarms:stable-order']])
  t.deepEqual(found(verified, /records/u), [])
  t.true(notes.length > 0 && notes.every((note) => note.startsWith('The service has other words')), notes.join('\n'))
  t.is(probes.find(({ name }) => name === 'createAlarm:creates')?.outcome, 'agrees')
  t.true(log.some((line) => line.startsWith('DELETE /alarms/new-')) && !log.includes('DELETE /alarms/'))
  const reusing = await serveAlarms(t, true)
  t.notRegex((await verify(reusing.url, options)).report.notes.join('\n'), /left behind/u)
  t.false(reusing.log.some((line) => line.startsWith('DELETE /alarms/one')))
})
