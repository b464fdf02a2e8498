import test from 'ava'
import { connectDouble, startDouble } from 'insights-double'

import { serve, testOnDouble } from './helpers/double.js'

/** Removes the type of a value, because no compiler checks the values of a JavaScript program. */
const loose = (value: unknown): never => value as never

const url = 'http://127.0.0.1:4010'
const wrongUrls: readonly (readonly [url: unknown, got: string])[] = [
  [undefined, 'undefined. Is the environment variable that holds it set?'],
  ['', '"". Is the environment variable that holds it set?'],
  [null, 'null.'],
  [4010, '4010.'],
  [new URL(url), 'an instance of URL.'],
  ['localhost:4010', '"localhost:4010".'],
  ['127.0.0.1:4010', '"127.0.0.1:4010".'],
  ['ftp://127.0.0.1', '"ftp://127.0.0.1".'],
  ['http://', '"http://".'],
  ['http://[', '"http://[".'],
  [`${url}/?x=1`, `"${url}/?x=1".`],
  [`${url}/#top`, `"${url}/#top".`],
]
for (const [given, got] of wrongUrls)
  test(`connectDouble refuses the url ${got.replace(/\.( .*)?$/u, '')} and shows a valid one`, (t) => {
    const error = t.throws(() => connectDouble(loose(given)), { instanceOf: TypeError })
    const rule = 'connectDouble: the url must be the address of a double, such as "http://127.0.0.1:4010", got'
    t.is(error?.message, `${rule} ${got}`)
  })

const origins = ['null', 'http://x', 'tauri://localhost', 'http://[::1]:81']
const wrongStarts: Readonly<Record<string, unknown>> = {
  'there is no option "prot"; did you mean port?': { prot: 1 },
  'there is no option "fixtrue"; did you mean fixture?': { fixtrue: 'default' },
  'there is no option "delay"; did you mean delayMs?': { delay: 1 },
  'there is no option "admin-token"; did you mean adminToken?': { 'admin-token': 'x' },
  'there is no option "nothing"; there are spec, specRoot, specHeaders, overlay, lockFile, handlers, handlerTimeoutMs, fixtures, fixturesWritable, fixture, records, seed, state, fresh, strict, host, port, now, delayMs, vary, watch, adminToken, allowedHosts, adminOrigins, journalEntries, journalBytes, maxSandboxes, sandboxIdleMs, keptSandboxes.':
    { nothing: undefined },
  'the option port must be an integer from 0 to 65535, got "4010".': { port: '4010' },
  'the option port must be an integer from 0 to 65535, got 70000.': { port: 70_000 },
  'the option port must be an integer from 0 to 65535, got 1.5.': { port: 1.5 },
  'the option port must be an integer from 0 to 65535, got null.': { port: null },
  'the option delayMs must be an integer from 0 to 60000 (milliseconds), got -5.': { delayMs: -5 },
  'the option delayMs must be an integer from 0 to 60000 (milliseconds), got NaN.': { delayMs: NaN },
  'the option now must be a date-time such as 2026-01-05T09:30:00Z, got "2026-02-29T09:30:00Z".': {
    now: '2026-02-29T09:30:00Z',
  },
  'the option now must be a date-time such as 2026-01-05T09:30:00Z, got an instance of Date.': { now: new Date() },
  'the option watch must be true or false, got "yes".': { watch: 'yes' },
  'the option fixture must be the name of a fixture, or a fixture, got 5.': { fixture: 5 },
  'the option spec must be a string, got an instance of URL.': { spec: new URL('file:///x.yaml') },
  'the option state must be a string, got true.': { state: true },
  'the option allowedHosts must be an array, each item a host name without a port, such as staging.example, got "x.example".':
    { allowedHosts: 'x.example' },
  'the option allowedHosts must be an array, each item a host name without a port, such as staging.example, got "y.example:80".':
    { allowedHosts: ['x.example', 'y.example:80'] },
  'the option adminOrigins must be an array, each item an origin such as http://localhost:5173, got 1.': {
    adminOrigins: [...origins, 1],
  },
  'the option adminOrigins must be an array, each item an origin such as http://localhost:5173, got "http://x/".': {
    adminOrigins: [...origins, 'http://x/'],
  },
  'the option adminOrigins must be an array, each item an origin such as http://localhost:5173, got "http://*.x".': {
    adminOrigins: [...origins, 'http://*.x'],
  },
  'the option adminToken must be a string, got a number.': { adminToken: 12_345_678 },
  'the option maxSandboxes must be an integer from 1 to 1000000, got 0.': { maxSandboxes: 0 },
  'the options must be an object, got "default".': 'default',
  'the options must be an object, got an array.': [],
  'the options must be an object, got null.': null,
  'the options must be an object, got an instance of Promise.': Promise.resolve({}),
}
for (const [message, options] of Object.entries(wrongStarts))
  test(`startDouble is rejected with: ${message}`, async (t) => {
    await t.throwsAsync(startDouble(loose(options)), { instanceOf: TypeError, message: `startDouble: ${message}` })
  })

test('connectDouble refuses an unknown option, and its message contains no token', (t) => {
  for (const [options, message] of [
    [{ token: 'secret-token' }, 'there is no option "token"; there are adminToken.'],
    [{ adminToken: ['secret-token'] }, 'the option adminToken must be a string, got an array.'],
  ] as const)
    t.throws(() => connectDouble(url, loose(options)), { instanceOf: TypeError, message: `connectDouble: ${message}` })
})

type Method = 'addFault' | 'requests' | 'sandbox' | 'waitForRequests'
const notVerdict = 'the option verdict must be ok or violation, got "violations"; did you mean violation.'
const noId = 'there is no option "operationId"; did you mean operation?'
const wrongCalls: readonly (readonly [method: Method, options: unknown, message: string])[] = [
  ['sandbox', { fixtrue: 'default' }, 'there is no option "fixtrue"; did you mean fixture?'],
  ['sandbox', { name: 1 }, 'the option name must be a string, got 1.'],
  ['sandbox', 'mine', 'the options must be an object, got "mine".'],
  ['addFault', { operationId: 'listInsights', status: 500 }, noId],
  ['addFault', { stauts: 500 }, 'there is no option "stauts"; did you mean status?'],
  ['addFault', { status: '500' }, 'the option status must be an integer, got "500".'],
  ['addFault', { delayMs: 0.5 }, 'the option delayMs must be an integer (milliseconds), got 0.5.'],
  ['addFault', { disconnect: 1 }, 'the option disconnect must be true or false, got 1.'],
  ['addFault', undefined, 'the options must be an object, got undefined.'],
  ['requests', { operations: 'x' }, 'there is no option "operations"; did you mean operation?'],
  ['requests', { verdict: 'violations' }, notVerdict],
  ['requests', { status: '200' }, 'the option status must be an integer, got "200".'],
  ['requests', { atLeast: 1 }, 'there is no option "atLeast"; there are operation, status, caller, verdict, id.'],
  ['waitForRequests', { withinMS: 1 }, 'there is no option "withinMS"; did you mean withinMs?'],
  ['waitForRequests', { atLeast: '1' }, 'the option atLeast must be an integer, got "1".'],
]
for (const [method, options, message] of wrongCalls)
  testOnDouble(`${method} is rejected with: ${message}`, async (t, double) => {
    const call: (given: unknown) => Promise<unknown> = loose(double[method])
    await t.throwsAsync(call(options), { instanceOf: TypeError, message: `${method}: ${message}` })
    t.deepEqual([await double.faults(), await double.sandboxes()], [[], []])
  })

test('an undefined option is the same as an omitted one', async (t) => {
  const double = await serve(t, { port: undefined, fixture: undefined, adminToken: undefined })
  t.is((await double.requests(loose({ operation: undefined, status: undefined }))).matched, 0)
  t.is(connectDouble(double.url, { adminToken: undefined }).url, double.url)
})
