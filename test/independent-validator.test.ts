import test from 'ava'

import { changedSpec } from './helpers/double.js'
import { createValidator, type Exchange, isDateTime } from './helpers/independent-validator.js'

const validate = createValidator()
const json = 'application/json'
const got = { method: 'GET', contentType: json }
const listing = (text: string): Exchange => ({ ...got, target: '/insights', status: 200, text })
const error = (status: number, text = JSON.stringify({ error: status, message: 'Wrong.' })): Exchange => ({
  ...got,
  target: '/insights?limit=x',
  status,
  text,
})
const deleted: Exchange = { method: 'DELETE', target: '/insights/a', status: 204, contentType: undefined, text: '' }
const health = '{"status":"ok","version":"1.0.0","uptimeMs":5,"compiledValidators":1}'
const asked: Exchange = { ...got, target: '/__admin/health', status: 200, text: health }

const right: readonly (readonly [title: string, reply: Exchange])[] = [
  ['an empty listing', listing('[]')],
  ['a listing', listing('[{"id":"a","content":"","createdAt":"2026-01-05T09:30:00.5+05:30"}]')],
  ['a listing of a sandbox', { ...listing('[]'), target: '/sandboxes/mine/insights?limit=1' }],
  ['a listing for an absolute target', { ...listing('[]'), target: 'http://localhost:1/insights' }],
  ['a listing with a charset', { ...listing('[]'), contentType: 'application/json; charset=utf-8' }],
  ['a 400', error(400)],
  ['a 401', error(401)],
  ['a 500', error(500)],
  ['a delete', deleted],
  ['the health', asked],
  ['a 408 for a slow request', error(408)],
  ['a 417 for an expectation that cannot be met', error(417)],
  ['a 404 for an unknown path', { ...error(404), target: '/nowhere' }],
  ['a 405 for a method that is not allowed', { ...error(405), method: 'PATCH' }],
  ['a 404 for an unknown sandbox', { ...error(404), target: '/sandboxes/x/insights', errorCode: 'unknown_sandbox' }],
  ['a HEAD', { ...listing(''), method: 'HEAD' }],
  ['an OPTIONS', { ...deleted, method: 'OPTIONS' }],
]
for (const [title, reply] of right)
  test(`the independent validator accepts ${title}`, (t) => {
    t.deepEqual(validate(reply), [])
  })

const wrong: readonly (readonly [title: string, reply: Exchange, says: RegExp])[] = [
  ['a listing that is an object', listing('{}'), /must be array/u],
  ['a listing that is not JSON', listing('[}'), /not JSON/u],
  ['a listing with an empty body', listing(''), /not JSON/u],
  ['an insight without content', listing('[{"id":"a"}]'), /content/u],
  ['an id that is a number', listing('[{"id":1,"content":""}]'), /must be string/u],
  ['an id that does not match its pattern', listing('[{"id":"a b","content":""}]'), /pattern/u],
  ['a time without a T', listing('[{"content":"","createdAt":"2026-01-05 09:30:00Z"}]'), /format "date-time"/u],
  ['a day that does not exist', listing('[{"content":"","createdAt":"2026-02-30T09:30:00Z"}]'), /format "date-time"/u],
  ['a listing that is sent as text', { ...listing('[]'), contentType: 'text/plain' }, /sent as text\/plain/u],
  ['a listing that is sent as problem+json', { ...listing('[]'), contentType: 'application/problem+json' }, /sent as/u],
  ['a listing without a Content-Type', { ...listing('[]'), contentType: undefined }, /sent as nothing/u],
  ['a 201', { ...listing('[]'), status: 201 }, /201 is not documented/u],
  ['a 304', { ...listing(''), status: 304 }, /304 is not documented/u],
  ['a 403', error(403), /403 is not documented/u],
  ['a 404 of a listing', error(404), /404 is not documented/u],
  ['a 503', error(503), /503 is not documented/u],
  ['an Error whose number is not the status', error(400, '{"error":401,"message":"Wrong."}'), /error is 401/u],
  ['an Error whose number is a string', error(400, '{"error":"400","message":"Wrong."}'), /error is "400"/u],
  ['an Error without a message', error(400, '{"error":400}'), /message is undefined/u],
  ['an Error with an empty message', error(400, '{"error":400,"message":" "}'), /message is " "/u],
  ['an Error with a stack', error(400, '{"error":400,"message":"x","stack":"at"}'), /further keys: stack/u],
  ['an Error that is text', { ...error(400, 'Bad Request'), contentType: 'text/plain' }, /sent as text/u],
  ['an Error that is a list', error(400, '[]'), /no object/u],
  ['an Error with a charset', { ...error(400), contentType: 'application/json; charset=utf-8' }, /sent as/u],
  ['a body on a 204', { ...deleted, text: '{}' }, /without a documented body/u],
  ['a Content-Type on a 204', { ...deleted, contentType: json }, /has Content-Type/u],
  ['a delete with 200', { ...deleted, status: 200 }, /200 is not documented/u],
  ['a body on a HEAD', { ...listing('[]'), method: 'HEAD' }, /HEAD has a body/u],
  ['a HEAD with 203', { ...listing(''), method: 'HEAD', status: 203 }, /203 is not documented/u],
  ['a body on an OPTIONS', { ...deleted, method: 'OPTIONS', text: 'x' }, /without a documented body/u],
  ['a success at an unknown path', { ...listing('[]'), target: '/nowhere' }, /nothing that could succeed/u],
  ['a success of an unknown method', { ...listing('[]'), method: 'PATCH' }, /nothing that could succeed/u],
  ['a success at a path in another case', { ...listing('[]'), target: '/INSIGHTS' }, /nothing that could succeed/u],
  ['a 408 that is text', { ...error(408, 'slow'), contentType: 'text/plain' }, /sent as/u],
  ['a 404 of a listing in a sandbox', { ...error(404), target: '/sandboxes/x/insights' }, /404 is not documented/u],
  ['a health with another property', { ...asked, text: health.replace('}', ',"pid":1}') }, /additional properties/u],
  ['a health whose status is not ok', { ...asked, text: health.replace('ok', 'ko') }, /allowed values/u],
  ['an uptime below 0', { ...asked, text: health.replace('5', '-5') }, />= 0/u],
  ['a health under /__admins', { ...asked, target: '/__admins/health' }, /nothing that could succeed/u],
]
for (const [title, reply, says] of wrong)
  test(`the independent validator refuses ${title}`, (t) => {
    t.regex(validate(reply).join('\n'), says)
  })

test('the independent validator uses the given spec', async (t) => {
  const spec = await changedSpec(t, (document) => {
    document.deleteIn(['paths', '/insights', 'get', 'responses', '401'])
  })
  t.deepEqual(validate(error(401)), [])
  t.regex(createValidator(spec)(error(401)).join(), /401 is not documented/u)
})

test('a date-time is what RFC 3339 says', (t) => {
  const times = '2026-01-05T09:30:00Z 2024-02-29t23:59:59.123456789z 2016-12-31T23:59:60Z 2017-01-01T00:59:60+01:00'
  for (const time of times.split(' ')) t.true(isDateTime(time), time)
  for (const time of [
    ...'2026-01-05 2026-01-05T09:30Z 2026-01-05T09:30:00 2026-01-05T09:30:00+01 2026-01-05T09:30:00+0100'.split(' '),
    ...'2026-01-05T09:30:00+24:00 2026-01-05T09:30:00+01:60 2026-01-05T24:00:00Z 2026-01-05T09:60:00Z'.split(' '),
    ...'2026-01-05T09:30:61Z 2026-01-05T09:30:60Z 2025-02-29T09:30:00Z 1900-02-29T09:30:00Z'.split(' '),
    ...'2026-13-05T09:30:00Z 2026-00-05T09:30:00Z 2026-01-00T09:30:00Z 2026-04-31T09:30:00Z'.split(' '),
    ...'+002026-01-05T09:30:00Z 2026-01-05T09:30:00.Z \u0662026-01-05T09:30:00Z'.split(' '),
    '2026-01-05 09:30:00Z',
    '2026-01-05\n09:30:00Z',
    '2026-01-05T09:30:00Z\n',
  ])
    t.false(isDateTime(time), time)
})
