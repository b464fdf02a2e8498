import { createServer } from 'node:http'
import { join } from 'node:path'

import test from 'ava'
import type { SandboxHandle } from 'insights-double'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { control, serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { as, del, get, json, sendJson } from './helpers/http.js'
import { listenUntilEnd } from './helpers/port.js'

const bearer = (sandbox: SandboxHandle, caller: string): Record<string, string> => ({
  authorization: `Bearer ${sandbox.callers[caller]?.token ?? ''}`,
})

test('a page that a server renders has the data of the sandbox whose token the server forwards', async (t) => {
  const double = await serve(t)
  // The server knows only the URL of the root, and forwards only the credential.
  // With Node's default, 5 s, the second request could be sent on a connection that is closing.
  const app = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const headers = { authorization: request.headers.authorization ?? '' }
    void fetch(`${double.url}/insights`, { headers })
      .then((listed) => listed.json())
      .then((insights) => response.end(`<ul>${(insights as unknown[]).map(() => '<li>').join('')}</ul>`))
  })
  const page = await listenUntilEnd(t, app)
  const $callers = { ada: { token: 'x' } }
  const [one, other] = [
    await double.sandbox({ uniqueTokens: true, fixture: { $callers, insights: [{ content: 'One' }] } }),
    await double.sandbox({ uniqueTokens: true, fixture: 'empty' }),
  ]
  t.is(await (await fetch(page, { headers: bearer(one, 'ada') })).text(), '<ul><li></ul>')
  t.is(await (await fetch(page, { headers: bearer(other, 'ada') })).text(), '<ul></ul>')
  const counts = [await one.requests(), await other.requests(), await double.requests()]
  t.deepEqual(pluck(counts, 'matched'), [1, 1, 0])
})

test('tokens of a sandbox replace those of the fixture, are kept after resets, and are refused after the sandbox is dropped', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox({ uniqueTokens: true })
  const { ada, grace } = sandbox.callers
  t.is(new Set([ada?.token, grace?.token, 'ada-token', 'grace-token']).size, 4)
  const copy = async (): Promise<unknown> => sandbox.setState(await double.state())
  for (const change of [() => sandbox.reset('many'), copy, () => sandbox.reset('default')]) {
    await change()
    t.like((await sandbox.state()).$callers, { ada, grace })
  }
  t.is((await del(double, '/insights/orchid-ice-cubes', bearer(sandbox, 'ada'))).status, 204)
  t.deepEqual((await sandbox.diff()).collections['insights']?.removed, ['orchid-ice-cubes'])
  t.deepEqual((await double.diff()).collections['insights']?.removed, [])
  t.is((await get(sandbox, '/insights', as('ada'))).status, 401)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  // A fault of the sandbox is applied before the credential is checked.
  await sandbox.addFault({ status: 503 })
  t.is((await get(double, '/insights', bearer(sandbox, 'grace'))).status, 503)
  t.false(JSON.stringify(await double.sandboxes()).includes(ada?.token ?? ''))
  t.false(JSON.stringify(await sandbox.requests()).includes(ada?.token ?? ''))
  await sandbox.stop()
  t.is((await get(double, '/insights', bearer(sandbox, 'ada'))).status, 401)
  t.deepEqual((await double.sandbox()).callers, {})
})

test('tokens of a sandbox work in every place that a security scheme allows', async (t) => {
  const $callers = { ada: { tokens: { key: 'k', query: 'q', cookie: 'c', basic: 'ada:secret' } } }
  const spec = join(packageFolder, 'test/specs/credentials.yaml')
  const double = await serve(t, { spec, fixture: { $callers, notes: [] } })
  const sandbox = await double.sandbox({ uniqueTokens: true })
  const { basic = '', cookie = '', key = '', query = '' } = sandbox.callers['ada']?.tokens ?? {}
  t.regex(basic, /^ada:./u)
  const answers = [
    await get(double, '/notes', { 'x-service': key }),
    await get(double, `/by-query?pass=${query}`, {}),
    await get(double, '/by-cookie', { cookie: `visit=${cookie}` }),
    await get(double, '/by-basic', { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    await get(double, `/both?pass=${query}`, { 'x-service': key }),
  ]
  t.deepEqual(pluck(answers, 'status'), [200, 204, 204, 204, 204])
  t.is((await sandbox.requests({ caller: 'ada' })).matched, 5)
  t.is((await get(double, '/open', { 'x-service': key })).status, 204)
  t.is((await double.requests()).matched, 1, 'an operation without a credential stays with the root')
})

test('the option "now" sets the date-times that the double fills in, for the double and for a sandbox', async (t) => {
  const now = '2026-01-05T10:30:00+01:00'
  const spec = join(packageFolder, 'test/specs/plants.yaml')
  const double = await serve(t, { spec, fixture: { $callers: { ada: { token: 'ada-token' } } }, now })
  const makeIn = async (url: string): Promise<unknown> =>
    asObject(json(await sendJson({ url }, 'POST', '/plants', { name: 'Fern' }, as('ada'))))['createdAt']
  t.is(await makeIn(double.url), '2026-01-05T09:30:00.000Z')
  t.is(await makeIn((await double.sandbox()).url), '2026-01-05T09:30:00.000Z')
  t.is(await makeIn((await double.sandbox({ now: '2020-02-29T00:00:00Z' })).url), '2020-02-29T00:00:00.000Z')
  const [entry] = (await double.requests()).entries
  t.not(entry?.time.slice(0, 10), '2026-01-05')
  const message =
    'sandbox: the option now must be a date-time such as 2026-01-05T09:30:00Z, got "2026-02-29T00:00:00Z".'
  await t.throwsAsync(double.sandbox({ now: '2026-02-29T00:00:00Z' }), { instanceOf: TypeError, message })
  t.is((await control(double, 'POST', '/sandboxes', { now: '2026-02-29T00:00:00Z' })).status, 400)
})
