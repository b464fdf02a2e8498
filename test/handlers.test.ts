import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError, startDouble } from 'insights-double'

import { startInThisThread } from '#src/double/start-in-this-thread.js'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, serveByProcess } from './helpers/cli.js'
import { listenToReloads } from './helpers/double-in-thread.js'
import { serve, type Served, serveHere } from './helpers/double.js'
import { packageFolder, replaceFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get, json, type Reply, sendJson } from './helpers/http.js'

const spec = join(packageFolder, 'test', 'specs', 'shop.yaml')
const handlers = join(packageFolder, 'test', 'specs', 'shop.handlers.js')
const fixture = {
  $callers: { ada: { token: 'ada-token' } },
  orders: [
    { id: 'one', item: 'pot', state: 'open' },
    { id: 'two', item: 'fern', state: 'shipped' },
    { id: 'secret', item: 'gift', state: 'open' },
  ],
}

/** Sends a JSON body as ada. */
const post = (double: Served, path: string, body?: unknown): Promise<Reply> =>
  sendJson(double, 'POST', path, body, as('ada'))

test('handlers respond, read and change the state, and next() returns the response without the handler', async (t) => {
  const double = await serve(t, { spec, handlers, fixture })
  t.is((await post(double, '/login', { name: 'grace', password: 'wrong' })).status, 401)
  const login = await post(double, '/login', { name: 'grace', password: 'open sesame' })
  t.deepEqual(json(login), { token: 'grace-session-token' })
  const grace = { authorization: 'Bearer grace-session-token' }
  t.is((await get(double, '/orders/one', grace)).status, 200)
  t.deepEqual(json(await post(double, '/orders/one/cancel')), { id: 'one', item: 'pot', state: 'cancelled' })
  t.deepEqual(json(await get(double, '/orders/one', as('ada'))), { id: 'one', item: 'pot', state: 'cancelled' })
  t.is((await post(double, '/orders/two/cancel')).status, 409)
  t.is((await post(double, '/orders/none/cancel')).status, 404)
  t.deepEqual(json(await post(double, '/orders/bulk', [{ item: 'yew' }, { item: 'ash' }])), { created: 2 })
  t.deepEqual(json(await post(double, '/orders', { item: 'oak' })), { id: 'order-6', item: 'oak', state: 'open' })
  const items = async (query: string): Promise<unknown> =>
    asList(json(await get(double, `/orders${query}`, as('ada')))).map((each) => asObject(each)['item'])
  t.deepEqual(await items(''), ['pot', 'fern', 'gift', 'yew', 'ash', 'oak'])
  t.deepEqual(await items('?sort=-item'), ['yew', 'pot', 'oak', 'gift', 'fern', 'ash'])
  t.is(asList(json(await get(double, '/orders', grace))).length, 3)
  t.is((await get(double, '/orders/secret', as('ada'))).status, 404)
  t.deepEqual(json(await get(double, '/weather')), { sky: 'blue as always' })
  t.is((await double.requests({ verdict: 'violation' })).matched, 0)
  // A handler can use the parameters that the role ignores. The journal contains neither password nor token.
  const journal = JSON.stringify(await double.requests())
  t.false(journal.includes('not_acted_on'))
  t.false(/session-token|sesame/u.test(journal), journal)
  const { collections, operations } = await double.collections()
  t.deepEqual(pluck(operations, 'role'), ['handler', 'handler', 'create', 'handler', 'handler', 'handler', 'handler'])
  t.deepEqual(collections[0]?.operations, { create: 'createOrder' })
  t.deepEqual(operations[1]?.parameters, [{ name: 'sort', in: 'query', acts: { kind: 'handler' } }])
  // The state that handlers have made is a valid state document.
  await double.setState(await double.state())
  t.is((await double.state())['orders']?.length, 6)
})

test('the id of a record that a handler removed is not reused', async (t) => {
  const text = `export const cancelOrder = ({ state, path }) => {
    const order = state.orders.find(({ id }) => id === path.id)
    return { body: { ...order, $access: undefined }, state: { ...state, orders: state.orders.filter((each) => each !== order) } }
  }`
  const double = await serve(t, { spec, fixture, handlers: await writeTemporary(t, 'h.js', text) })
  await post(double, '/orders', { item: 'a' })
  t.is((await post(double, '/orders/order-4/cancel')).status, 200)
  // The state contains the last id, so the id is not reused after a restart either.
  t.deepEqual((await double.state()).$lastIds, { orders: 4 })
  t.is((await get(double, '/orders/order-4', as('ada'))).status, 404)
  t.like(json(await post(double, '/orders', { item: 'b' })), { id: 'order-5' })
})

/** By the body of a handler: the message. */
const failures: Readonly<Record<string, string>> = {
  'throw new Error("no")': 'it threw Error: no.',
  'throw null': 'it threw a value: null.',
  'return "x"': 'it returned "x"; return {status?, headers?, body?, state?}.',
  'return 5': 'it returned 5; return {status?, headers?, body?, state?}.',
  'return undefined': 'it returned undefined; return {status?, headers?, body?, state?}.',
  'return Promise.reject(new Error("late"))': 'it returned a promise; handlers are synchronous.',
  'return { statsu: 200 }': 'it returned an unknown key "statsu"; did you mean status?',
  'return { status: "200" }': 'it returned the status "200"; use an integer from 200 to 599.',
  'return { headers: { a: 5 } }': 'it returned the header a as 5; use a string.',
  'return { headers: { "Content-Length": "5" } }':
    'it returned the header Content-Length, which the double sets itself.',
  'state.orders.push({})': 'it threw TypeError: Cannot add property 3, object is not extensible.',
  'state.orders[0].state = "shipped"':
    "it threw TypeError: Cannot assign to read only property 'state' of object '#<Object>'.",
  'delete state.$callers.ada': "it threw TypeError: Cannot delete property 'ada' of #<Object>.",
  'throw { toString() { throw new Error("x") } }': 'it threw a value: it cannot be read.',
  'throw new Proxy({}, { getPrototypeOf() { throw new Error("x") } })': 'it threw a value: it cannot be read.',
  'throw Object.defineProperty(new Error("a"), "message", { get() { throw new Error("x") } })':
    'it threw a value: it cannot be read.',
  'return new Proxy({}, { get() { throw new Error("x") } })': 'it threw Error: x.',
  'return { get then() { throw new Error("x") } }': 'it threw Error: x.',
  'return { body: { get sky() { throw new Error("x") } } }': 'it threw Error: x.',
  'return { body: { sky: "" }, state: new Proxy(state, { get() { throw new Error("x") } }) }': 'it threw Error: x.',
  'return { body: new Uint8Array(2) }': 'it returned bytes as application/json; return a value for JSON.',
  'return { body: { sky: 5n } }': 'it threw TypeError: Do not know how to serialize a BigInt.',
  'return { body: { sky: "" }, state: { ...state, orders: [{ id: "x", item: 5, state: "open" }] } }':
    'it returned a state that is not valid: #/orders/0/item item must be string, correct the value.',
  'return { body: { sky: "" }, state: { ...state, order: [] } }':
    'it returned a state that is not valid: #/order there is no collection "order", use orders.',
  'return { body: { sky: "" }, state: { ...state, $callers: {} } }':
    'it returned a state that is not valid: #/$callers $callers is empty, so every request would be refused, list the callers, such as {"ada": {"token": "a-token"}}.',
  'return { body: { sky: "" }, state: 5 }': 'it returned a state that is not valid: it must be an object.',
}

/** Handlers that do not end. */
const endless: readonly string[] = [
  'for (;;);',
  'return { body: { toJSON() { for (;;); } } }',
  'throw { get [Symbol.toPrimitive]() { for (;;); } }',
  '/^(a+)+$/u.test(`${"a".repeat(50)}!`)',
]

/** Starts a double with the text of a file of handlers, and lists the errors that it logs. */
async function startWith(t: ExecutionContext, text: string, handlerTimeoutMs?: number) {
  const file = await writeTemporary(t, 'h.mjs', text)
  const logged: string[] = []
  const onFailure = (_id: string, error: unknown): void => void logged.push(String((error as Error).stack ?? error))
  const double = await startInThisThread({ spec, fixture, handlers: file, handlerTimeoutMs, onFailure })
  t.teardown(() => double.stop())
  return { double, file, logged }
}

/** Handlers of GET /weather, each for one request. */
const inTurn = (bodies: readonly string[]): string =>
  `const acts = [${bodies.map((code) => `({ state }) => { ${code} }`).join(', ')}]
    let at = 0
    export default { 'GET /weather': (request) => acts[at++](request) }`

test('a request whose handler fails gets a 500 that names the handler, and nothing changes', async (t) => {
  const { double, file, logged } = await startWith(t, inTurn(Object.keys(failures)), 60_000)
  const before = double.root.store.committed
  for (const message of Object.values(failures)) {
    const reply = await fetch(`${double.url}/weather`)
    t.is(reply.headers.get('x-error-code'), 'handler_failed')
    t.deepEqual(await reply.json(), {
      error: 500,
      // The error is thrown in the first line of the file, and the handler begins in the third.
      message: `The handler of GET /weather in ${file}:${/^it threw (?:Error: (?:no|x)|TypeError: Cannot)/u.test(message) ? 1 : 3} failed, so nothing was changed: ${message}`,
    })
  }
  t.is(double.root.store.pending, before)
  t.is(logged.length, Object.keys(failures).length)
})

test('a handler that does not end is ended: its request gets a 500, and the next requests are served', async (t) => {
  const { double, file } = await startWith(t, inTurn(endless), 300)
  const message = `The handler of GET /weather in ${file}:3 failed, so nothing was changed: it took longer than 300 ms, the limit of --handler-timeout.`
  for (const code of endless)
    t.deepEqual(await (await fetch(`${double.url}/weather`)).json(), { error: 500, message }, code)
  t.is((await fetch(`${double.url}/orders`, { headers: as('ada') })).status, 200)
})

test('the message about an error of a handler contains no token', async (t) => {
  const code = '{ throw new Error(`${state.$callers.ada.token} or ${encodeURIComponent(state.$callers.ada.token)}`) }'
  const { double, logged } = await startWith(t, `export const readOrder = ({ state }) => ${code}`)
  const reply = await fetch(`${double.url}/orders/one`, { headers: as('ada') })
  t.is(reply.status, 500)
  t.regex(await reply.text(), /it threw Error: \[redacted\] or \[redacted\]/u)
  t.regex(logged.join(), /\[redacted\] or/u)
  t.false(logged.join().includes('ada-token'))
})

const asXml = '{ headers: { "content-type": "application/xml" }, body: { sky: "blue" }'
for (const [what, response, message] of [
  ['a body', '{ body: { sky: 5 }', /must be string/u],
  ['a media type', asXml, /must be sent as application\/json, got application\/xml/u],
] as const)
  test(`a handler response with ${what} that breaks the contract changes nothing`, async (t) => {
    const text = `export default { "GET /weather": ({ state }) => (${response}, state: { ...state, orders: [] } }) }`
    const { double } = await startWith(t, text)
    const reply = await fetch(`${double.url}/weather`)
    t.is(reply.headers.get('x-error-code'), 'reply_violation')
    t.regex(await reply.text(), message)
    t.is(double.root.store.committed.collections.get('orders')?.size, 3)
  })

test('an undocumented error status of a handler is sent unchanged, with a warning', async (t) => {
  const body = { error: 418, message: 'It rains.' }
  const text = `export default { "GET /weather": () => ({ status: 418, body: ${JSON.stringify(body)} }) }`
  const { double } = await startWith(t, text)
  const reply = await fetch(`${double.url}/weather`)
  t.is(reply.status, 418)
  t.deepEqual(await reply.json(), body)
  const warning = { location: ['response', 'statusCode'], severity: 'Warning', code: 'undocumented' }
  t.like(JSON.parse(reply.headers.get('sl-violations') ?? '[]'), [warning])
})

/** A file of handlers, and the problem at the start: `line:column  what  hint`. */
const refused: Readonly<Record<string, string>> = {
  'export const logn = () => ({})': '1:14  "logn" is not an operation of the contract  did you mean login?',
  'export default { "GET /wether": () => ({}) }':
    '1:19  "GET /wether" is not an operation of the contract  did you mean GET /weather?',
  '\nexport const login = async () => ({})':
    '2:14  login is an async function or a generator  write a plain function; handlers are synchronous',
  'export function* login() {}':
    '1:18  login is an async function or a generator  write a plain function; handlers are synchronous',
  'export const login = 5': '1:14  login is not a function  export a function',
  'export const login = () => ({})\nexport default { login: () => ({}) }':
    '1:14  login has two handlers  remove one of them',
  'export default () => ({})': '1:8  the default export is not an object  export an object of functions by operation',
  'const login = 5': '1:1  exports no handler  export a function that is named like an operation',
  'export const login = () => {': '2:1  cannot be imported: SyntaxError: Unexpected end of input  correct the module',
  '\nthrow new Error("no")': '2:1  cannot be imported: Error: no  correct the module',
}

test('problems of a handlers file are reported at the start', async (t) => {
  for (const [text, problem] of Object.entries(refused)) {
    const file = await writeTemporary(t, 'h.js', `${text}\n`)
    const error = await t.throwsAsync(serve(t, { spec, fixture, handlers: file }), { instanceOf: ProblemsError })
    const [first] = error?.problems ?? []
    const at = first?.position ? `${first.position.line}:${first.position.column}  ` : ''
    t.is(`${at}${first?.what}  ${first?.hint}`, problem)
    t.is(first?.file, file)
  }
  // Node.js imports TypeScript from 22.18.
  if (!('typescript' in process.features && process.features.typescript)) {
    const typed = await writeTemporary(t, 'h.ts', 'export const login = (): object => ({})\n')
    const hint = 'compile it, and name the JavaScript file'
    const message = `${typed}:1:1  is TypeScript, which needs Node.js 22.18 or newer  ${hint}`
    await t.throwsAsync(serve(t, { spec, fixture, handlers: typed }), { message })
  }
  const missing = join(await temporaryFolder(t), 'none.js')
  const message = `${missing}  cannot be read: no such file or folder  check the path, or name another file with --handlers`
  await t.throwsAsync(serve(t, { spec, fixture, handlers: missing }), { message })
})

test('check, explain and serve accept --handlers, and startDouble accepts the URL of a file of handlers', async (t) => {
  const wrong = await writeTemporary(t, 'h.mjs', 'export const logn = () => ({})\n')
  const checked = await exits(t, 1, ['check', spec, '--handlers', wrong])
  t.regex(checked.stdout, /h\.mjs:1:14 {2}"logn" is not an operation/u)
  const explained = await run(t, ['explain', '--spec', spec, '--handlers', handlers])
  const file = await writeTemporary(t, 'shop.json', fixture)
  const started = await serveByProcess(t, ['--spec', spec, '--handlers', handlers, '--fixture', file, '--memory'])
  t.regex(started.ready, /^ {2}stateful 1 of \d+ operations: orders; .*\n {2}handlers login, listOrders, /mu)
  t.regex(explained.stdout, /^cancelOrder +POST \/orders\/\{id\}\/cancel +handler +--handlers has a function for it/mu)
  const double = await startDouble({ spec, fixture, handlers: pathToFileURL(handlers) })
  t.teardown(() => double.stop())
  t.deepEqual(await (await fetch(`${double.url}/weather`)).json(), { sky: 'blue as always' })
})

test('--watch reloads handlers from an ES module or a CommonJS module; an invalid file changes nothing', async (t) => {
  for (const [name, exported] of Object.entries({ 'h.mjs': 'export default', 'h.cjs': 'module.exports =' })) {
    const text = (sky: string): string => `${exported} { "GET /weather": () => ({ body: { sky: "${sky}" } }) }\n`
    const file = await writeTemporary(t, name, text('grey'))
    const { onReload, reload } = listenToReloads()
    const double = await serveHere(t, { spec, fixture, handlers: file, watch: true, onReload })
    const sky = async (): Promise<unknown> => asObject(json(await get(double, '/weather')))['sky']
    t.is(await sky(), 'grey')
    for (const [next, shown, problem] of [
      [text('dark red'), 'dark red', /^none$/u],
      [`${text('black')}}`, 'dark red', /cannot be imported: SyntaxError/u],
      [text('green'), 'green', /^none$/u],
    ] as const) {
      await replaceFile(file, next)
      t.regex((await reload()).problem?.message ?? 'none', problem)
      t.is(await sky(), shown)
    }
  }
})
