import test from 'ava'
import { connectDouble } from 'insights-double'

import { exits, run, serveByCommand } from './helpers/cli.js'
import { control, insightsIn, serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, assertError, get, raw, wire } from './helpers/http.js'

const adminToken = 'admin-secret'
const needed =
  'The admin token is missing or wrong. Send the header Authorization: Bearer <the token given with --admin-token>.'

const wrong: readonly (readonly [title: string, fields: readonly string[]])[] = [
  ['no credential', []],
  ['another token', ['Authorization: Bearer other']],
  ['a token of a caller', ['Authorization: Bearer ada-token']],
  ['the token in another case', ['Authorization: Bearer ADMIN-SECRET']],
  ['a part of the token', ['Authorization: Bearer admin-secre']],
  ['more than the token', ['Authorization: Bearer admin-secretx']],
  ['another scheme', ['Authorization: Basic admin-secret']],
  ['no scheme', ['Authorization: admin-secret']],
  ['an empty token', ['Authorization: Bearer ']],
  ['the token twice', ['Authorization: Bearer admin-secret', 'Authorization: Bearer admin-secret']],
]
for (const [title, fields] of wrong)
  test(`a double with an admin token refuses a control request with ${title}, and the 401 says which header to send`, async (t) => {
    const double = await serve(t, { adminToken })
    const before = await double.state()
    for (const line of ['GET /state', 'POST /reset', 'DELETE /requests', 'GET /events']) {
      const reply = await raw(double, wire(line.replace('/', '/__admin/'), ['Connection: close', ...fields]))
      assertError(t, reply, 401, needed)
      t.is(reply.headers['www-authenticate'], 'Bearer')
      t.false(reply.text.includes(adminToken))
    }
    t.deepEqual(await double.state(), before)
  })

test('the scheme of the admin token is not case-sensitive', async (t) => {
  const double = await serve(t, { adminToken })
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    t.is((await control(double, 'GET', '/state', undefined, { authorization: `${scheme} ${adminToken}` })).status, 200)
})

test('the admin token is not valid for the service', async (t) => {
  const double = await serve(t, { adminToken })
  assertError(t, await get(double, '/insights', { authorization: `Bearer ${adminToken}` }), 401)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
})

test('a sandbox requires the admin token too', async (t) => {
  const sandbox = await (await serve(t, { adminToken })).sandbox()
  assertError(t, await control({ url: sandbox.url }, 'GET', '/state'), 401, needed)
  t.is((await insightsIn(sandbox)).length, 12)
})

test('a handle sends its admin token', async (t) => {
  const double = await serve(t, { adminToken })
  const handle = connectDouble(double.url, { adminToken })
  t.is((await handle.reset('empty')).fixture, 'empty')
  await t.throwsAsync(connectDouble(double.url).state(), { code: 'unknown_admin_token', message: needed })
  await t.throwsAsync(connectDouble(double.url, { adminToken: 'x' }).state(), { code: 'unknown_admin_token' })
})

for (const host of '0.0.0.0 :: 192.0.2.1 insights.example localhost.evil.example 127.0.0.1.evil.example'.split(' '))
  test(`a double does not start on ${host} without an admin token, or with an empty one`, async (t) => {
    await t.throwsAsync(serve(t, { host }), { instanceOf: TypeError, message: /admin token/u })
    await t.throwsAsync(serve(t, { host, adminToken: '' }), { message: /admin token/u })
  })

for (const host of ['127.0.0.1', 'localhost', '::1'])
  test(`a double starts on ${host} without an admin token`, async (t) => {
    t.is((await (await serve(t, { host })).health()).status, 'ok')
  })

test('the command line takes the admin token from the flag, else the file, else the environment, and never prints it', async (t) => {
  const file = await writeTemporary(t, 'token', 'file-secret\n')
  const env = { INSIGHTS_DOUBLE_ADMIN_TOKEN: 'env-secret' }
  const cases: readonly (readonly [words: readonly string[], token: string])[] = [
    [[], 'env-secret'],
    [['--admin-token-file', file], 'file-secret'],
    [['--admin-token-file', file, '--admin-token', 'flag-secret'], 'flag-secret'],
  ]
  for (const [words, token] of cases) {
    const double = await serveByCommand(t, ['--memory', ...words], { env })
    t.is((await get(double, '/__admin/state', { authorization: `Bearer ${token}` })).status, 200, token)
    t.is((await get(double, '/__admin/state')).status, 401)
    t.false(double.ready.includes('secret'))
    for (const command of ['state', 'requests', 'reset'])
      t.is((await run(t, [command, '--url', double.url, ...words], { env })).code, 0, command)
    const refused = await run(t, ['state', '--url', double.url])
    t.like(refused, { code: 2, stdout: '' })
    t.regex(refused.stderr, /^[^\n]*token[^\n]*\n$/iu)
  }
})

test('a file without an admin token is refused, and a wrong one is not printed', async (t) => {
  const empty = await writeTemporary(t, 'empty', ' \n')
  const odd = await writeTemporary(t, 'odd', 'two words')
  for (const [file, reason] of [
    [empty, /^--admin-token-file must name a file with the admin token, got ".*": it is empty\.\n$/u],
    ['gone', /^--admin-token-file must .*, got "gone": no such file or folder\.\n$/u],
    ['/dev/null', /^--admin-token-file must .*: it is a device, not a file\.\n$/u],
    [odd, /^The admin token must contain only letters/u],
  ] as const) {
    const { stderr } = await exits(t, 2, ['--memory', '--port', '0', '--admin-token-file', file])
    t.regex(stderr, reason)
    t.false(stderr.includes('two words'))
  }
})
