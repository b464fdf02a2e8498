import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { control, controlText, everything, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { as, assertError, del, get, type Headers, json, raw, wire } from './helpers/http.js'

const callers = { ada: { token: 'ada-token' } }

/** A refused request: `line`, JSON body, status, and the place and the rule in the message. */
type Row = readonly [line: string, body: unknown, status: number, message: RegExp | string]
const rows: readonly Row[] = [
  ['PUT /state', 'text', 400, /^Request body must be object/u],
  ['PUT /state', {}, 400, /^The state has 1 problem, so nothing was changed: #\/\$callers {2}\$callers is missing/u],
  ['PUT /state', { $callers: { ada: { token: 1 } }, insights: [] }, 400, /\bcallers\W+ada\W+token\b.*string/u],
  ['PUT /state', { $callers: callers, insights: {} }, 400, /\binsights\b.*array/u],
  ['PUT /state', { $callers: callers, insights: [{ content: 'x', colour: 'red' }] }, 400, /\/insights\/0\/colour/u],
  ['POST /reset', { fixtur: 'empty' }, 400, /additional properties; found 'fixtur'/u],
  ['POST /reset', { fixture: 1 }, 400, /\bfixture must be string/u],
  ['POST /reset', { fixture: null }, 400, /\bfixture must be string/u],
  ['POST /reset', { fixture: '' }, 404, /^There is no fixture "". The folder has default, edge-cases, empty, many\.$/u],
  ['POST /faults', { staus: 400 }, 400, /additional properties; found 'staus'/u],
  ['POST /sandboxes', { nam: 'x' }, 400, /additional properties; found 'nam'/u],
  ['POST /sandboxes', { name: 'new', fixture: 'none' }, 404, /^There is no fixture "none"\./u],
  ['GET /requests?status=9', undefined, 400, /^Query parameter status must be an integer from 100 to 599, got "9"\.$/u],
  ['GET /requests?status=2xx', undefined, 400, /^Query parameter status must be .*got "2xx"\.$/u],
  ['GET /requests?verdict=odd', undefined, 400, /^Query parameter verdict must be .*"ok".*"violation".*got "odd"\.$/u],
  ['GET /requests?atLeast=-1', undefined, 400, /^Query parameter atLeast must be .*0 to 1000000, got "-1"\.$/u],
  ['GET /requests?withinMs=60001', undefined, 400, /^Query parameter withinMs must be .*0 to 60000, got "60001"\.$/u],
  ['GET /requests?withinMs=1&withinMs=2', undefined, 400, /^Query parameter withinMs /u],
  ['GET /requests/%ff', undefined, 400, /^Path parameter id must be percent-encoded UTF-8, got "%ff"\.$/u],
  ['GET /requests/none', undefined, 404, /^There is no request "none" in the journal/u],
  ['DELETE /faults/fault-99', undefined, 404, /^There is no fault "fault-99"/u],
  ['DELETE /sandboxes/none', undefined, 404, /^There is no sandbox "none"/u],
  ['DELETE /sandboxes/root', undefined, 404, /^There is no sandbox "root"/u],
  ['DELETE /sandboxes/a%20b', undefined, 400, /^Path parameter name must match .*got "a b"\.$/u],
  ['GET /spec?contract=admin', undefined, 400, /^Query parameter contract must be .*"service".*"control".*"admin"\.$/u],
  ['GET /nothing', undefined, 404, /^There is no path "\/__admin\/nothing"\. The contract has .*\/__admin\/health/u],
  ['PATCH /state', {}, 405, 'PATCH is not a method of /__admin/state. Allowed: GET, HEAD, OPTIONS, PUT.'],
]

for (const [line, body, status, message] of rows)
  test(`${line} ${JSON.stringify(body) ?? ''} is refused with ${status} and changes nothing`, async (t) => {
    const double = await serve(t)
    await double.sandbox({ name: 'taken' })
    await double.addFault({ operation: 'listInsights', status: 400, skip: 9 })
    await get(double, '/insights', as('ada'))
    await del(double, '/insights/orchid-ice-cubes', as('ada'))
    const before = await everything(double)
    const [method = '', path = ''] = line.split(' ')
    const reply = await control(double, method, path, body)
    assertError(t, reply, status)
    const said = String(asObject(json(reply))['message'])
    if (typeof message === 'string') t.is(said, message)
    else t.regex(said, message)
    t.deepEqual(await everything(double), before)
  })

const typed = (type: string): Headers => ({ 'content-type': type })
const json8 = typed('application/json')

/** Bodies that every operation refuses. */
const bodies: Readonly<Record<string, readonly [text: string, headers: Headers, status: number, message: RegExp]>> = {
  'that is null': ['null', json8, 400, /^The request body of \w+ must not be null\./u],
  'that is a list': ['[]', json8, 400, /^Request body must be object/u],
  'that is not JSON': ['{"$callers":', json8, 400, /^The request body is not JSON: ./u],
  'that is JavaScript and not JSON': ["{fixture: 'empty'}", json8, 400, /^The request body is not JSON: ./u],
  'with a byte order mark inside': ['{\ufeff}', json8, 400, /^The request body is not JSON: ./u],
  'of a form': ['fixture=empty', typed('application/x-www-form-urlencoded'), 415, /, got "application\/x-/u],
  'of text': ['{}', { 'content-type': 'text/plain' }, 415, /Content-Type application\/json, got "text\/plain"\.$/u],
  'that is compressed': ['{}', { ...json8, 'content-encoding': 'br' }, 415, /without a Content-Encoding, got "br"\./u],
  'with a Content-Type that cannot be parsed': ['{}', typed(';;;'), 415, /Content-Type application\/json, got /u],
}
for (const line of ['PUT /state', 'POST /reset', 'POST /faults', 'POST /sandboxes']) {
  const [method = '', path = ''] = line.split(' ')
  for (const [title, [text, headers, status, message]] of Object.entries(bodies))
    testOnDouble(`${line} refuses a body ${title}`, async (t, double) => {
      const before = await everything(double)
      const reply = await controlText(double, method, path, text, headers)
      assertError(t, reply, status)
      t.regex(String(asObject(json(reply))['message']), message)
      t.deepEqual(await everything(double), before)
    })
  testOnDouble(`${line} refuses a body without a Content-Type`, async (t, double) => {
    const reply = await raw(double, wire(`${method} /__admin${path}`, ['Content-Length: 2'], '{}'))
    assertError(t, reply, 415, 'The request body must be sent with Content-Type application/json, got none.')
  })
}

for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
  testOnDouble(`a body with the Content-Type ${type} is read as JSON`, async (t, double) => {
    const reply = await controlText(double, 'POST', '/reset', '{"fixture":"empty"}', { 'content-type': type })
    t.is(reply.status, 200, reply.text)
    t.deepEqual(await insightsIn(double), [])
  })

for (const [line, status] of Object.entries({
  'PUT /state': 400,
  'POST /faults': 400,
  'POST /reset': 200,
  'POST /sandboxes': 201,
}))
  testOnDouble(`${line} without a body gets ${status}`, async (t, double) => {
    const [method = '', path = ''] = line.split(' ')
    const reply = await controlText(double, method, path, undefined, {})
    if (status === 400) assertError(t, reply, 400)
    else t.like({ ...reply, ...asObject(json(reply)) }, { status, fixture: 'default' })
  })
