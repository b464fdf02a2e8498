import { join } from 'node:path'

import test from 'ava'

import { serveByCommand } from '../helpers/cli.js'
import { excuse, serve, serveChanged, testOnDouble } from '../helpers/double.js'
import { idsOnDisk, temporaryFolder } from '../helpers/files.js'
import { as, assertError, del, get, raw, wire } from '../helpers/http.js'

const listing = ['paths', '/insights', 'get', 'responses', '200', 'content', 'application/json', 'schema']
const credential = ['Authorization: Bearer ada-token', 'Connection: close']

test('a delete is saved in the state file under NODE_ENV=test, which AVA sets', async (t) => {
  t.is(process.env['NODE_ENV'], 'test')
  const folder = await temporaryFolder(t)
  const [here, there] = [join(folder, 'here.json'), join(folder, 'there.json')]
  const inProcess = await serve(t, { state: here })
  const command = await serveByCommand(t, ['--state', there], { env: { NODE_ENV: 'test' } })
  for (const double of [inProcess, command]) {
    t.is((await del(double, '/insights/monstera-watering', as('ada'))).status, 204)
    const ids = await idsOnDisk(double === command ? there : here)
    t.true(ids.length > 5)
    t.false(ids.includes('monstera-watering'))
  }
})

test('an onExchange listener that throws a value other than an Error does not prevent the response', async (t) => {
  for (const thrown of [null, undefined, 'text', { status: 200 }]) {
    const double = await serve(t, {
      onExchange: () => {
        throw thrown
      },
    })
    const answered = get(double, '/insights', as('ada')).then(({ status }) => status)
    const silence = new Promise((resolve) => setTimeout(resolve, 120_000, 'no answer').unref())
    t.is(await Promise.race([answered, silence]), 200)
  }
})

test('an onFailure listener that throws a value other than an Error does not change the 500', async (t) => {
  const onFailure = (): void => {
    throw null
  }
  const double = await serveChanged(t, (spec) => spec.setIn([...listing, 'maxItems'], 1), { onFailure })
  const answered = get(double, '/insights', as('ada'))
  const silence = new Promise<undefined>((resolve) => setTimeout(resolve, 120_000, undefined).unref())
  const reply = await Promise.race([answered, silence])
  if (reply) assertError(t, reply, 500)
  else t.fail('no answer')
})

for (const target of ['/insights/%', '/insights/%E0%A4%A', '/insights/%ff', '/insights/a%'])
  testOnDouble(`DELETE ${target} with any unusual Content-Type gets a 400, without a crash`, async (t, double) => {
    for (const type of ['foo', ';;;', 'application/json, text/html', '']) {
      const reply = await raw(double, wire(`DELETE ${target}`, [...credential, `Content-Type: ${type}`]))
      assertError(t, reply, 400)
    }
  })

for (const type of ['foo', ';;;', 'text/html; text/plain'])
  test(`a listing whose only media type is "${type}" is sent without a body`, async (t) => {
    const content = { [type]: { schema: { type: 'string' } } }
    const fixture = { $callers: { ada: { token: 'ada-token' } } }
    const double = await serveChanged(t, (spec) => spec.setIn(listing.slice(0, 6), content), { fixture })
    excuse(double, 'the independent validator takes any text for a media type')
    const { headers, status, text } = await get(double, '/insights', as('ada'))
    t.deepEqual([status, headers['content-type'], text], [200, undefined, ''])
  })

for (const accept of ['"', ',', ';', 'a b', 'foo', '=;=', '*/*;q=x', 'application/json;;'])
  test(`a preference with the Accept header ${accept} is applied or refused, without a 500`, async (t) => {
    const double = await serve(t)
    for (const prefer of ['code=401', 'example=two', 'code=200']) {
      const headers = [...credential, `Accept: ${accept}`, `Prefer: ${prefer}`]
      const reply = await raw(double, wire('GET /insights', headers))
      t.true(reply.status < 500, reply.text)
    }
  })

test('a schema keyword with an invalid name or value stops the start', async (t) => {
  const broken = { pattern: '[', type: 'intger', minItems: '1', required: true, enum: 'x', requred: ['content'] }
  for (const [keyword, value] of Object.entries(broken)) {
    // A start that is not strict takes what is misspelt as what is meant, and ignores a pattern that is none.
    const strict = keyword === 'requred' || value === 'intger' || keyword === 'pattern'
    const error = await t.throwsAsync(serveChanged(t, (spec) => spec.setIn([...listing, keyword], value), { strict }))
    t.regex(error?.message ?? '', new RegExp(keyword, 'u'))
  }
})

test('a wrong security scheme does not turn authentication off', async (t) => {
  const error = await t.throwsAsync(serveChanged(t, (spec) => spec.setIn(['security'], [{ baerer: [] }])))
  t.regex(error?.message ?? '', /baerer/u)
})

test('a date-time with a pattern of its own that is not anchored is valid', async (t) => {
  const place = ['components', 'schemas', 'Insight', 'properties', 'createdAt', 'pattern']
  const double = await serveChanged(t, (spec) => spec.setIn(place, 'Z$'))
  t.is((await get(double, '/insights', as('ada'))).status, 200)
})
