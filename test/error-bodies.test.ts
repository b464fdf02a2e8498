import { join } from 'node:path'

import test from 'ava'

import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { get } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { excuse } from './helpers/validate-responses.js'
import { body, type Json, object, text } from './resources/plants-contract.js'

const reason = 'Path parameter id must be an integer, got "x".'

const now = '2027-01-01T12:00:00.000Z'
const unprocessable = { type: 'about:blank', title: 'Unprocessable Entity' }

/** A request with an error, and its response. The contract determines the shape of the body. */
const rows: readonly (readonly [path: string, status: number, mediaType: string | undefined, body: unknown])[] = [
  [
    '/wrapped/x',
    400,
    'application/json',
    {
      error: {
        code: 400,
        message: reason,
        error_description: reason,
        trace: 'none',
        path: '/wrapped/x',
        timestamp: now,
      },
    },
  ],
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
  const double = await serve(t, {
    spec: join(packageFolder, 'test/specs/credentials.yaml'),
    fixture: { $callers: { ada: { token: 'x:y' } } },
  })
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

test('an optional list of errors has the message, unless the message is next to it', async (t) => {
  const errors = { type: 'array', items: object({ message: text, help: text }) }
  const refused = async (schema: Json): Promise<unknown> => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
    const responses = { 200: { description: '' }, 400: body(schema) }
    const double = await serve(t, {
      spec: await writeContract(t, { '/x/{id}': { get: { parameters: [id], responses } } }),
    })
    excuse(double, 'the errors are those of another contract')
    return JSON.parse((await get(double, '/x/x')).text)
  }
  t.deepEqual(await refused(object({ errors })), { errors: [{ message: reason }] })
  t.deepEqual(await refused(object({ errors, message: text })), { message: reason })
  t.deepEqual(await refused(object({ errorSummary: text, errorId: text })), { errorSummary: reason })
  const status_code = { type: 'integer', enum: [404, 422], example: 404 }
  t.deepEqual(await refused(object({ status_code, message: text })), { status_code: 422, message: reason })
  // As FastAPI documents a 422.
  const detail = { type: 'array', items: object({ loc: { type: 'array', items: {} }, msg: text, type: text }, 'type') }
  const told = { loc: ['path', 'id'], msg: reason, type: 'bad_request' }
  t.deepEqual(await refused(object({ detail })), { detail: [told] })
})

test('a code is that of the status, among those that the contract lists or in the form of its example', async (t) => {
  const codes = ['unauthorized', 'not found', 'invalid'] as const
  const none = { example: null }
  const numbered = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const Shared = object({ code: { type: 'string', example: 'seat_taken' } }, 'code')
  const paths = {
    '/shared/{id}': {
      get: { parameters: [numbered], responses: { 400: body({ $ref: '#/components/schemas/Shared' }) } },
    },
    '/listed/{id}': {
      get: { parameters: [numbered], responses: { 400: body(object({ code: { enum: codes } }, 'code')) } },
    },
    '/phrase/{id}': {
      get: {
        parameters: [numbered],
        responses: {
          400: body(object({ error: { type: 'string', example: 'Not Found' }, message: text, data: none }, 'data')),
        },
      },
    },
    '/shown/{id}': {
      get: {
        parameters: [numbered],
        responses: { 400: body(object({ code: { type: 'string', example: 'NOT_FOUND' } }, 'code')) },
      },
    },
    '/several/{id}': {
      get: {
        parameters: [numbered],
        responses: {
          400: body(object({ code: { enum: ['invalid_name', 'invalid_id'] } }, 'code'), { code: 'invalid_id' }),
        },
      },
    },
    '/traced/{id}': {
      get: {
        parameters: [numbered],
        responses: { 400: body(object({ message: text, request_id: text }, 'request_id')) },
      },
    },
    '/told/{id}': {
      get: {
        parameters: [numbered],
        responses: {
          400: body(object({ error: { ...text, description: 'Machine-readable code.' }, message: text }, 'error')),
        },
      },
    },
    '/required/{id}': {
      get: { parameters: [numbered], responses: { 400: body(object({ code: text, faultstring: text }, 'code')) } },
    },
  }
  const spec = await writeContract(t, paths, { components: { schemas: { Shared } } })
  const double = await serve(t, { spec, fixture: {} })
  excuse(double, 'the errors have no message')
  t.deepEqual(JSON.parse((await get(double, '/phrase/x')).text), { error: 'Bad Request', message: reason, data: null })
  for (const [path, code] of [
    ['/listed/x', 'invalid'],
    ['/shown/x', 'BAD_REQUEST'],
    ['/shared/x', 'bad_request'],
    ['/several/x', 'invalid_id'],
  ] as const)
    t.deepEqual(JSON.parse((await get(double, path)).text), { code })
  t.deepEqual(JSON.parse((await get(double, '/told/x')).text), { error: 'bad_request', message: reason })
  const traced = await get(double, '/traced/x')
  t.deepEqual(JSON.parse(traced.text), { message: reason, request_id: traced.headers['x-request-id'] })
  t.deepEqual(JSON.parse((await get(double, '/required/x')).text), { code: 'bad_request', faultstring: reason })
})
