import { join } from 'node:path'

import test from 'ava'

import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { ask, get, json } from './helpers/http.js'
import { plantCallers, writeContract } from './helpers/plants-spec.js'
import { excuse } from './helpers/validate-responses.js'
import { body, inPath, integer, type Json, listOf, object, ref, text } from './resources/plants-contract.js'

const reason = 'Path parameter id must be an integer, got "x".'

const now = '2027-01-01T12:00:00.000Z'
const unprocessable = { type: 'about:blank', title: 'Unprocessable Entity' }
const wrapped = { message: reason, error_description: reason, trace: 'none', path: '/wrapped/x', timestamp: now }

/** A request with an error, and its response. The contract determines the shape of the body. */
const rows: readonly (readonly [path: string, status: number, mediaType: string | undefined, body: unknown])[] = [
  ['/wrapped/x', 400, 'application/json', { error: { code: 400, ...wrapped } }],
  ['/problem/x', 422, 'application/problem+json', { ...unprocessable, status: 422, detail: reason }],
  ['/list/x', 400, 'application/vnd.api+json', { errors: [{ status: '400', title: reason }] }],
  ['/odd/x', 400, 'application/json', { kind: 'BAD' }],
  ['/choice/x', 400, 'application/json', { name: 'INVALID' }],
  ['/markup/x', 400, 'application/xml', '<error/>'],
  ['/bare/x', 400, undefined, ''],
  ['/text/x', 400, 'text/plain', reason],
  ['/near/x', 400, 'application/json', { status: 400, err: '', message: reason }],
  ['/none/x', 400, 'application/json', { status: 400, err: '', message: reason }],
  ['/nowhere', 404, 'application/json', { status: 404, err: '' }],
]

test('an error body has the shape that the contract documents', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test/specs/errors.yaml'), fixture: {}, now })
  excuse(double, 'some statuses are not documented')
  for (const [path, status, mediaType, expected] of rows) {
    const reply = await get(double, path)
    t.is(reply.status, status, path)
    t.is(reply.headers['content-type'], mediaType, path)
    const received: unknown = mediaType?.includes('json') ? JSON.parse(reply.text) : reply.text
    if (path === '/nowhere') t.like(received, expected as object)
    else t.deepEqual(received, expected, path)
  }
  const { entries } = await double.requests()
  t.deepEqual(entries.map(({ operation }) => operation).slice(-2), ['none', null])
})

test('an error body is a problem details object if the contract documents no error', async (t) => {
  const spec = join(packageFolder, 'test/specs/credentials.yaml')
  const double = await serve(t, { spec, fixture: { $callers: { ada: { token: 'x:y' } } } })
  excuse(double, 'no error is documented')
  const reply = await get(double, '/nowhere')
  t.is(reply.headers['content-type'], 'application/problem+json')
  t.like(JSON.parse(reply.text), { type: 'about:blank', title: 'Not Found', status: 404 })
})

test('an error body takes no schema of a success, and none that has no place for the error', async (t) => {
  const health = object({ health: { enum: ['GOOD', 'BAD'] } }, 'health')
  const ofStatus = async (status: string): Promise<unknown> => {
    const spec = await writeContract(t, { '/health': { get: { responses: { [status]: body(health) } } } })
    const double = await serve(t, { spec, fixture: {} })
    excuse(double, 'no error is documented')
    return JSON.parse((await get(double, '/nowhere')).text)
  }
  for (const status of ['default', '503']) t.like(await ofStatus(status), { type: 'about:blank', status: 404 }, status)
})

const id = inPath('id', integer)

test('an optional list of errors has the message, unless the message is next to it', async (t) => {
  const errors = listOf(object({ message: text, help: text }))
  const refused = async (schema: Json): Promise<unknown> => {
    const responses = { 200: { description: '' }, 400: body(schema) }
    const spec = await writeContract(t, { '/x/{id}': { get: { parameters: [id], responses } } })
    const double = await serve(t, { spec })
    excuse(double, 'the errors are those of another contract')
    return JSON.parse((await get(double, '/x/x')).text)
  }
  t.deepEqual(await refused(object({ errors })), { errors: [{ message: reason }] })
  t.deepEqual(await refused(object({ errors, message: text })), { message: reason })
  const byField = { description: 'Field-specific errors', additionalProperties: { items: text } }
  t.deepEqual(await refused(object({ errors: byField })), { errors: { id: [reason] } })
  const wrong = { ...object({ field: text, reason: text }), example: { field: 'name', reason: 'is missing' } }
  t.deepEqual(await refused(object({ wrong: listOf(wrong) }, 'wrong')), { wrong: [{ field: 'id', reason }] })
  // Where no name says what is what, the example does.
  const data = object({ data: { type: 'object', example: { kind: 'BAD' } } })
  t.deepEqual(await refused({ ...data, example: { data: { kind: 'BAD' } } }), { data: { kind: 'BAD' } })
  t.deepEqual(await refused(object({ errorSummary: text, errorId: text })), { errorSummary: reason })
  const status_code = { ...integer, enum: [404, 422], example: 404 }
  t.deepEqual(await refused(object({ status_code, message: text })), { status_code: 422, message: reason })
  // As FastAPI documents a 422.
  const detail = listOf(object({ loc: listOf({}), msg: text, type: text }, 'type'))
  const told = { loc: ['path', 'id'], msg: reason, type: 'bad_request' }
  t.deepEqual(await refused(object({ detail })), { detail: [told] })
})

test('a code is that of the status, among those that the contract lists or in the form of its example', async (t) => {
  const ofCode = (code: object): Json => object({ code }, 'code')
  const Shared = ofCode({ ...text, example: 'seat_taken' })
  const told = { ...text, description: 'Machine-readable code.' }
  const phrase = { error: { ...text, example: 'Not Found' }, message: text, data: { example: null } }
  const errors = {
    shared: body(ref('Shared')),
    listed: body(ofCode({ enum: ['unauthorized', 'not found', 'invalid'] })),
    phrase: body(object(phrase, 'data')),
    shown: body(ofCode({ ...text, example: 'NOT_FOUND' })),
    several: body(ofCode({ enum: ['invalid_name', 'invalid_id'] }), { code: 'invalid_id' }),
    traced: body(object({ message: text, request_id: text }, 'request_id')),
    told: body(object({ error: told, message: text }, 'error')),
    required: body(object({ code: text, faultstring: text }, 'code')),
  }
  const paths = Object.entries(errors).map(([name, error]) => [
    `/${name}/{id}`,
    { get: { parameters: [id], responses: { 400: error } } },
  ])
  const spec = await writeContract(t, Object.fromEntries(paths) as Json, { components: { schemas: { Shared } } })
  const double = await serve(t, { spec, fixture: {} })
  excuse(double, 'the errors have no message')
  const traced = await get(double, '/traced/x')
  t.deepEqual(json(traced), { message: reason, request_id: traced.headers['x-request-id'] })
  for (const [name, sent] of Object.entries({
    phrase: { error: 'Bad Request', message: reason, data: null },
    listed: { code: 'invalid' },
    shown: { code: 'BAD_REQUEST' },
    shared: { code: 'bad_request' },
    several: { code: 'invalid_id' },
    told: { error: 'bad_request', message: reason },
    required: { code: 'bad_request', faultstring: reason },
  }))
    t.deepEqual(json(await get(double, `/${name}/x`)), sent, name)
})

test('the code of an error is that of its status and of its case, also where another operation documents it', async (t) => {
  const Problem = object({ type: text, title: text, detail: text }, 'type')
  const shown = (type: string) => body(ref('Problem'), { type, title: 'not-found', detail: 'x' })
  const security = [{ token: [] }]
  const named = { invalid: { value: { type: 'BAD_TOKEN' } }, absent: { value: { type: 'NO_TOKEN' } } }
  const unauthorized = { description: '', content: { 'application/json': { schema: ref('Problem'), examples: named } } }
  const codes = object({ code: { enum: ['not-owner', 'expired-token', 'missing-token'] } }, 'code')
  const boxes = { 200: body(listOf(ref('Box'))), 401: unauthorized }
  const noBox = { $ref: '#/components/responses/NoBox' }
  const paths = {
    '/boxes': { get: { security, responses: boxes } },
    '/boxes/{id}': {
      get: { parameters: [id], responses: { 200: body(ref('Box')), 404: noBox } },
      delete: { parameters: [id], responses: { 204: { description: '' }, 500: shown('INTERNAL') } },
    },
    '/lids': { get: { security, responses: { 200: body(text), 403: body(codes), 404: noBox } } },
    '/told/{id}': { get: { parameters: [id], responses: { 400: { ...body(ref('Problem')), description: 'BAD_ID' } } } },
  }
  const status = object({ status_code: { ...integer, enum: [404, 422] } }, 'status_code')
  const coded = { '/coded/{id}': { get: { parameters: [id], responses: { 200: body(text), '4XX': body(status) } } } }
  const schemas = { Problem, Box: object({ id: integer }, 'id') }
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } }
  const spec = await writeContract(
    t,
    { ...paths, ...coded },
    {
      components: { schemas, securitySchemes, responses: { NoBox: shown('NO_BOX') } },
    },
  )
  const double = await serve(t, { spec, fixture: { $callers: plantCallers } })
  excuse(double, 'some errors are not documented')
  const of = async (path: string, headers = {}, method = 'GET'): Promise<unknown> =>
    json(await ask(double, method, path, headers))
  const wrong = { authorization: 'Bearer wrong' }
  t.like(await of('/boxes'), { type: 'NO_TOKEN' })
  t.like(await of('/boxes', wrong), { type: 'BAD_TOKEN' })
  t.like(await of('/boxes/7', {}, 'DELETE'), { type: 'NO_BOX', title: 'not-found' })
  t.like(await of('/boxes/x', {}, 'DELETE'), { type: 'about:blank' })
  t.like(await of('/told/x'), { type: 'BAD_ID' })
  t.like(await get(double, '/coded/x'), { status: 422, text: '{"status_code":422}' })
  t.deepEqual(await of('/lids'), { code: 'missing-token' })
  t.deepEqual(await of('/lids', wrong), { code: 'expired-token' })
})
