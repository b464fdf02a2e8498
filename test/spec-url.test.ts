import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'

import { ProblemsError as SourceError } from '#src/documents/problem.js'
import { createLimits } from '#src/spec/fetch-document.js'
import type { SpecLocation } from '#src/spec/location.js'
import { openUrl } from '#src/spec/url-location.js'

import { exits, run, runProcess, serveByCommand } from './helpers/cli.js'
import { startHere } from './helpers/double-in-thread.js'
import { serve, startDouble } from './helpers/double.js'
import { readPackageFile, temporaryFolder } from './helpers/files.js'
import { freePort, listenUntilEnd } from './helpers/port.js'

const plants = await readPackageFile('examples/plants.yaml')

interface Host {
  readonly url: string
  /** The requests so far. */
  readonly requests: readonly IncomingMessage[]
  answer: (request: IncomingMessage, response: ServerResponse) => unknown
}

/** Starts a host of contracts. Default: it answers every request with plants.yaml, and its ETag. */
async function host(t: ExecutionContext, answer: Host['answer'] = sendPlants): Promise<Host> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    started.answer(request, response)
  })
  const started: Host = { url: await listenUntilEnd(t, server), requests, answer }
  return started
}

function sendPlants({ headers }: IncomingMessage, response: ServerResponse): void {
  const isKnown = headers['if-none-match'] === '"1"'
  response
    .writeHead(isKnown ? 304 : 200, { etag: '"1"', 'content-type': 'application/yaml' })
    .end(isKnown ? '' : plants)
}

const send = (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Host['answer'] =>
  ((_, response) => response.writeHead(status, headers).end(body)) satisfies Host['answer']

async function problemOf(t: ExecutionContext, reading: Promise<unknown>): Promise<string> {
  const error = await t.throwsAsync(reading, { instanceOf: SourceError })
  const [problem] = error?.problems ?? []
  return `${problem?.file}  ${problem?.what}  ${problem?.hint}`
}

const json = JSON.stringify({ openapi: '3.1.0' })
const asJson = { 'content-type': 'application/json' }
const asHtml = { 'content-type': 'text/html; charset=utf-8' }
const sendAway = send(301, { location: 'https://u:pw@other.example/a?b' })
const sendLongBody: Host['answer'] = (_, response) =>
  response.writeHead(200, { 'content-length': String(2 ** 40) }).write('x'.repeat(3000))

/** Responses that are refused, and the message. */
const refusals: Readonly<Record<string, readonly [answer: Host['answer'], expected: RegExp]>> = {
  HTML: [send(200, asHtml, 'x'), /is an HTML page, not a contract {2}name the URL of the JSON/u],
  'HTML that is called JSON': [send(200, asJson, '\n<!DOCTYPE html>'), /is an HTML page/u],
  404: [send(404), /its host answers 404 {2}check the URL/u],
  401: [send(401), /answers 401 {2}give a credential, such as with --spec-header "authorization: env:CONTRACT_AUTH"/u],
  403: [send(403), /its host answers 403 {2}give a credential/u],
  500: [send(500), /:\d+ answers 500 {2}try again later/u],
  'a redirect loop': [send(302, { location: '/again' }), /redirects more than 5 times {2}name the URL where/u],
  'a redirect to another origin': [sendAway, /redirects to https:\/\/other\.example\/a {2}name that URL directly/u],
  'a redirect to nowhere': [send(301, { location: 'http://[' }), /redirects to a URL that is not valid/u],
  'an empty document': [send(200), /is empty {2}write a document/u],
  garbage: [send(200, asJson, '{{{{'), /is not JSON/u],
  'bytes that are not UTF-8': [send(200, {}, Buffer.from('openapi: "\u00e9"', 'latin1')), /is not UTF-8/u],
  '1 TB': [sendLongBody, /has, with the documents that it names, more than 0\.\d+ MiB, the maximum/u],
  'a connection that ends': [(request) => request.socket.destroy(), /closed the connection {2}check the host/u],
}
for (const [title, [answer, expected]] of Object.entries(refusals))
  test(`a URL that answers ${title} is refused`, async (t) => {
    const { url } = await host(t, answer)
    const message = await problemOf(t, openUrl(`${url}/api`, {}, createLimits(2048)).read(`${url}/api`))
    t.regex(message, expected)
    t.true(message.startsWith(`${url}/api  `), message)
    t.false(message.includes('pw'))
  })

test('a host that sends a body slowly, without an end, is left after the time for all documents', async (t) => {
  const slow = await host(t, (_, response) => void response.writeHead(200).write('openapi:'))
  const reading = openUrl(slow.url, {}, createLimits(2048, 300)).read(slow.url)
  t.regex(await problemOf(t, reading), /did not complete its response within 0\.\d+ seconds/u)
})

test('the limits are for all documents together', async (t) => {
  const { url } = await host(t, send(200, {}, `{"a":"${'x'.repeat(1200)}"}`))
  const location = openUrl(`${url}/a`, {}, createLimits(2048))
  await location.read(`${url}/a`)
  t.regex(await problemOf(t, location.read(`${url}/b`)), /the maximum/u)
})

test('a place that is no URL of a contract is refused, and a credential in it is not shown', async (t) => {
  const [nobody, unknown] = [`http://127.0.0.1:${await freePort()}/`, 'https://api.invalid/']
  for (const [spec, expected] of [
    ['ftp://api.example/a.json', 'ftp://api.example/a.json  cannot be read: ftp is not supported  use https or http'],
    ['https://user:geheim12@api.example/', 'https://api.example/  has a credential in it  give it as a header'],
    ['https://[/', 'https://[/  is not a URL'],
    ['https://user:geheim12/3@api.example/', 'https://api.example/  is not a URL'],
    [nobody, `${nobody}  cannot be read: ${new URL(nobody).host} refuses connections`],
    [unknown, `${unknown}  cannot be read: api.invalid has a host name that cannot be resolved`],
  ] as const) {
    const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
    t.true(error?.message.startsWith(expected), error?.message)
    t.false(error?.message.includes('geheim'))
    const { stderr } = await exits(t, 2, ['explain', '--spec', spec])
    t.true(stderr.startsWith(expected), stderr)
  }
})

test('the format is that of the media type, else of the extension, else of the first character', async (t) => {
  const yaml = 'openapi: 3.1.0'
  const server = await host(t)
  for (const [type, path, body, line] of [
    ['application/json', '/a.yaml', `\n${json}`, 2],
    ['application/vnd.oai.openapi+json;version=3.1', '/a', json, 1],
    ['application/yaml', '/a.json', yaml, 1],
    ['text/plain', '/a.json?v=1', json, 1],
    ['text/plain', '/a.yml', yaml, 1],
    ['', '/a', ` ${json}`, 1],
    ['', '/a', yaml, 1],
  ] as const) {
    server.answer = send(200, { 'content-type': type }, body)
    const { locate, value } = await openUrl(server.url + path, {}).read(server.url + path)
    t.deepEqual(value, { openapi: '3.1.0' })
    t.is(locate(['openapi']).line, line)
  }
})

test('references may name documents of the same origin, below the folder where the contract is', async (t) => {
  const server = await host(t, ({ url }, response) =>
    url === '/latest' ? response.writeHead(302, { location: '/v2/api/openapi.json' }).end() : response.end(json),
  )
  const entry = `${server.url}/latest`
  const location: SpecLocation = openUrl(entry, {})
  await location.read(entry)
  const resolve = (reference: string): string | undefined => {
    const found = location.resolve(entry, reference)
    return 'name' in found ? found.name.replace(server.url, '') : undefined
  }
  t.is(resolve('schemas/a.yaml'), '/v2/api/schemas/a.yaml')
  t.is(resolve('./a/../b.yaml?v=1'), '/v2/api/b.yaml?v=1')
  t.is(resolve('/v2/api/c.yaml'), '/v2/api/c.yaml')
  const above = String.raw`../a.yaml %2e%2e/a.yaml .%2E/a.yaml ..\a.yaml x%2f..%2f..%2fa x%5C..%5Ca /a.yaml /v2/api2/a`
  const elsewhere = String.raw`//other.example/v2/api/a \\other.example\v2\api\a https://other.example/v2/api/a http://[`
  const others = ['file:///etc/passwd', `${server.url.replace('//', '//u:p@')}/v2/api/a`]
  for (const reference of [...above.split(' '), ...elsewhere.split(' '), ...others])
    t.is(resolve(reference), undefined, reference)
})

/** Returns the path of the one copy of a contract in a folder. */
async function copyIn(cwd: string): Promise<string> {
  const folder = join(cwd, '.insights-double/contracts')
  const [name = ''] = await readdir(folder)
  return join(folder, name)
}

test('--spec-header is sent to the origin of the contract only, also after a redirect, and never shown or kept', async (t) => {
  const secret = 'k3y-that-nobody-sees'
  const surroundings = { cwd: await temporaryFolder(t), env: { CONTRACT_KEY: secret } }
  const server = await host(t, ({ headers, url }, response) => {
    if (headers['x-api-key'] !== secret) return response.writeHead(401).end()
    if (url === '/a') return response.writeHead(302, { location: '/b' }).end()
    return response.end(plants.replace('Waters it.', `Waters it with ${secret}.`))
  })
  const flags = ['--spec', `${server.url}/a`, '--spec-header', 'X-API-Key: env:CONTRACT_KEY']
  const { stdout } = await exits(t, 0, ['explain', ...flags], surroundings)
  t.false(stdout.includes(secret))
  t.false((await readFile(await copyIn(surroundings.cwd), 'utf8')).includes(secret))
  server.answer = ({ headers }, response) => response.end(`{${String(headers['x-api-key'])}`)
  const garbage = await exits(t, 1, ['check', ...flags], surroundings)
  t.false((garbage.stdout + garbage.stderr).includes(secret))
  for (const [spec, header, message] of [
    [server.url, 'x-api-key: secret', /^--spec-header must be a name and an environment variable/u],
    [server.url, 'x-api-key: env:NOT_SET', /^--spec-header: the environment variable NOT_SET is not set\./u],
    ['plants.yaml', 'X-API-Key: env:CONTRACT_KEY', /^--spec-header is for a spec from a URL/u],
    ['http://api.example/', 'X-API-Key: env:CONTRACT_KEY', /the credential of --spec-header unencrypted {2}use https/u],
  ] as const)
    t.regex((await exits(t, 2, ['explain', '--spec', spec, '--spec-header', header], surroundings)).stderr, message)
})

test('without its host, a contract is served from its last good copy with a warning; run, check and startDouble fail', async (t) => {
  const cwd = await temporaryFolder(t)
  const server = await host(t)
  const spec = ['--spec', `${server.url}/plants`]
  const explain = (code: number) => exits(t, code, ['explain', ...spec], { cwd })
  const fresh = await explain(0)
  t.is(fresh.stderr, '')
  // A version that is no contract is no good copy.
  server.answer = send(200, {}, '{"openapi": "3.1.0"}')
  await explain(2)
  server.answer = sendPlants
  await explain(0)
  t.is(server.requests.at(-1)?.headers['if-none-match'], '"1"')
  for (const status of [500, 503, 429]) {
    server.answer = send(status)
    const stale = await explain(0)
    t.is(stale.stdout, fresh.stdout)
    const told = `^http.*/plants  cannot be read: .* answers ${status}; the copy of 20.*Z \\(\\d minutes? ago\\) is used  try again later\n$`
    t.regex(stale.stderr, new RegExp(told, 'u'))
  }
  await exits(t, 0, ['schema', ...spec], { cwd })
  const real = await serve(t, { spec: 'examples/plants.yaml', fixture: 'examples/greenhouse.json' })
  const verify = ['verify', real.url, ...spec, '--report', 'report.json', '--pace', '10000']
  t.regex((await exits(t, 0, verify, { cwd })).stderr, /the copy of/u)
  t.true((await readFile(join(cwd, 'report.json'), 'utf8')).includes(`"spec": "${server.url}/plants"`))
  const served = await serveByCommand(t, [...spec, '--memory', '--port', '0'], { cwd })
  t.regex(served.ready, /\n {2}warning {2}http.*the copy of/u)
  await served.end()
  for (const [command, words] of Object.entries({ check: [], run: ['--', 'true'] })) {
    const { code, stderr, stdout } = await runProcess(t, [command, ...spec, ...words], { cwd })
    t.not(code, 0)
    t.regex(stdout + stderr, /plants {2}cannot be read: .* answers 429 {2}try again later/u)
  }
  await t.throwsAsync(startDouble({ spec: `${server.url}/plants` }), { instanceOf: ProblemsError })
  const elsewhere = send(302, { location: 'http://other.invalid/' })
  for (const answer of [send(401), elsewhere, send(404), send(200, asHtml, 'x')]) {
    server.answer = answer
    await explain(2)
  }
})

test('copies that cannot be kept are a warning, and damaged ones are not used', async (t) => {
  const cwd = await temporaryFolder(t)
  const server = await host(t)
  const explain = ['explain', '--spec', server.url]
  await writeFile(join(cwd, '.insights-double'), '')
  const unkept = await exits(t, 0, explain, { cwd })
  t.regex(unkept.stderr, /cannot be kept as a copy for starts without its host: a part of its path is a file/u)
  const other = await temporaryFolder(t)
  await run(t, explain, { cwd: other })
  const copy = await copyIn(other)
  const kept = JSON.parse(await readFile(copy, 'utf8')) as { text: string }
  server.answer = send(500)
  for (const text of ['{', '{}', JSON.stringify({ ...kept, text: `${kept.text}\n` })]) {
    await writeFile(copy, text)
    t.is((await run(t, explain, { cwd: other })).code, 2)
  }
})

test('with --watch, the host is asked again, and a changed contract is loaded once', async (t) => {
  const server = await host(t)
  const times = new TransformStream<undefined, undefined>(undefined, { highWaterMark: 9 }, { highWaterMark: 9 })
  const [clock, next] = [times.writable.getWriter(), times.readable.getReader()]
  const asked: (() => void)[] = []
  const reloads: string[] = []
  const double = await startHere({
    spec: `${server.url}/plants`,
    watch: true,
    waitToAsk: async (signal) => {
      asked.shift()?.()
      await Promise.race([next.read(), once(signal, 'abort')])
      signal.throwIfAborted()
    },
    onReload: (file, problem, _undone, effect) => reloads.push(`${file} ${problem ? 'refused' : effect}`),
  })
  t.teardown(() => double.stop())
  /** Lets a minute pass, and waits until the double has asked and loaded. */
  const passMinute = async (): Promise<void> => {
    const done = new Promise<void>((resolve) => asked.push(resolve))
    await clock.write(undefined)
    await done
  }
  const spec = `${server.url}/plants`
  await passMinute()
  t.is(server.requests.at(-1)?.headers['if-none-match'], '"1"')
  t.deepEqual(reloads, [])
  server.answer = send(503)
  await passMinute()
  server.answer = send(200, { etag: '"2"' }, 'openapi: 3.1.0')
  await passMinute()
  await passMinute()
  t.deepEqual(reloads, [`${spec} refused`])
  server.answer = send(200, { etag: '"3"' }, plants.replace('title: Plants', 'title: Herbs'))
  await passMinute()
  await passMinute()
  t.deepEqual(reloads, [`${spec} refused`, `${spec} was reloaded.`])
  t.true((await (await fetch(`${double.url}/openapi.json`)).text()).includes('Herbs'))
  const hanging = new Promise<ServerResponse>((resolve) => (server.answer = (_, response) => resolve(response)))
  await clock.write(undefined)
  const response = await hanging
  // A stop does not wait for a host that does not answer.
  await Promise.all([once(response, 'close'), double.stop()])
})

test('a proxy is used as its variables say, with its credential', async (t) => {
  const asked: string[] = []
  const proxy = createServer(({ headers, url }, response) => {
    asked.push(`${url} ${headers['proxy-authorization']}`)
    response.end(plants)
  }).on('connect', ({ headers, url }: IncomingMessage, socket) => {
    asked.push(`CONNECT ${url} ${headers['proxy-authorization']}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const address = await listenUntilEnd(t, proxy)
  const withPassword = address.replace('//', '//user:secret@')
  const auth = `Basic ${Buffer.from('user:secret').toString('base64')}`
  const explain = (spec: string, env: Record<string, string>): ReturnType<typeof run> =>
    run(t, ['explain', '--spec', spec], { env: { NO_PROXY: '', no_proxy: '', ...env } })
  const plain = await explain('http://api.invalid/plants.yaml', { http_proxy: withPassword, HTTP_PROXY: 'http://[' })
  t.is(plain.code, 0, plain.stderr)
  const secure = await explain('https://api.invalid/plants.yaml', { HTTPS_PROXY: withPassword })
  t.regex(secure.stderr, /api\.invalid answers 502/u)
  t.deepEqual(asked, [`http://api.invalid/plants.yaml ${auth}`, `CONNECT api.invalid:443 ${auth}`])
  for (const NO_PROXY of ['api.invalid', '.invalid', 'x, *.invalid', '*', 'API.invalid:80']) {
    const without = await explain('http://api.invalid/', { HTTP_PROXY: address, NO_PROXY })
    t.regex(without.stderr, /cannot be resolved/u, NO_PROXY)
  }
  for (const NO_PROXY of ['i.invalid', 'api.invalid:443', 'valid', ' , '])
    t.is((await explain('http://api.invalid/', { HTTP_PROXY: address, NO_PROXY })).code, 0, NO_PROXY)
  const wrong = await explain('http://api.invalid/', { HTTP_PROXY: 'socks://user:secret@127.0.0.1:1' })
  t.regex(wrong.stderr, /the environment variable HTTP_PROXY is not the URL of an HTTP proxy/u)
  t.false(wrong.stderr.includes('secret'))
})
