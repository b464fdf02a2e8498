import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'

import test from 'ava'

import { pullState } from '#src/pull/pull.js'
import { createServiceClient } from '#src/pull/service-client.js'
import { loadService } from '#src/resources/load-service.js'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, run, runInOneProcess } from './helpers/cli.js'
import { packageFolder, temporaryFolder } from './helpers/files.js'
import type { Asked, InsightsService, Switches } from './verify/insights-service.js'
import { callerEnv as env, callerFlags as flags, serveInsights, someInsights } from './verify/insights-service.js'
import { callers, verify } from './verify/run-verify.js'

/** A service that breaks HTTP, is slow or redirects. */
interface Unfriendly {
  readonly write: (response: ServerResponse, elsewhere: string) => unknown
  /** The expected message if the first listing cannot be read. */
  readonly says: RegExp
  /** The expected report if the service begins to do this during a verification. */
  readonly later: RegExp
}

const json = { 'content-type': 'application/json' }
const threeFailed = String.raw`^could not check, because the run ended after 3 failed connections in a row: \S+ `

/** Since llhttp 9, Node refuses what follows the announced length. The parser of Node 20.19.0 is older, and ignores it. */
const hasStrictParser = Number.parseInt(process.versions['llhttp'] ?? '', 10) >= 9

const unfriendly: readonly Unfriendly[] = [
  {
    write: (response) => response.destroy(),
    says: /^http:\S+\/insights as ada cannot be read: it closed the connection\.$/mu,
    later: new RegExp(`${threeFailed}closed the connection: `, 'mu'),
  },
  {
    write: (response) => response.writeHead(200, { ...json, 'content-length': 90 }).end('[]'),
    says: /: it closed the connection\.$/mu,
    later: new RegExp(threeFailed, 'mu'),
  },
  {
    write: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    says: /: it sent a response that is not HTTP \(Parse Error: Expected HTTP\/[^)]*\)\.$/mu,
    later: new RegExp(`${threeFailed}sent a response that is not HTTP`, 'mu'),
  },
  {
    write: (response) => response.writeHead(200, { ...json, 'content-length': 1 }).end('[]'),
    says: hasStrictParser
      ? /: it sent a response that is not HTTP \(Parse Error: Data after `Connection: close`\)\.$/mu
      : /: it answers 200 with application\/json, and its body is not JSON\.$/mu,
    later: hasStrictParser
      ? new RegExp(`${threeFailed}sent a response that is not HTTP`, 'mu')
      : /the body of the service is not JSON \(.*insights\.yaml:\d+\)/u,
  },
  {
    write: (response) => response.writeHead(200, json).end(' '.repeat(70 * 2 ** 20)),
    says: /: it sent more than 64 MiB\.$/mu,
    later: new RegExp(`${threeFailed}sent more than 64 MiB: `, 'mu'),
  },
  {
    write: (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
    says: /^The run ended: \S+ answered 429, too many requests, retry after 7 seconds\. Try again later, with a lower --pace\.$/mu,
    later: /^could not check, because the run ended: \S+ answered 429/mu,
  },
  {
    write: (response, elsewhere) => response.writeHead(302, { location: `${elsewhere}/insights` }).end(),
    says: /: it answers 302, and redirects are not followed\.$/mu,
    later: /the service answers 302, the double 200/u,
  },
  {
    write: (response) => response.writeHead(200, json).end('[{"id":'),
    says: /: it answers 200 with application\/json, and its body is not JSON\.$/mu,
    later: /the body of the service is not JSON \(.*insights\.yaml:\d+\)/u,
  },
  {
    write: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<form action="/login">'),
    says: /: it answers 200 with text\/html, and its body is not JSON; it may be a login page\.$/mu,
    later: /the service sends the media type text\/html, the double application\/json/u,
  },
]

const isFrom = (first: number, { write }: Unfriendly, elsewhere: string): Switches => ({
  write: (response, { count }) => {
    if (count >= first) write(response, elsewhere)
    return count >= first
  },
})

const onlyReads = ({ log }: InsightsService): boolean =>
  log.every(({ method }) => ['GET', 'HEAD', 'OPTIONS'].includes(method))

test('pull and verify exit with 2 and one sentence if a listing cannot be read, and send tokens only to the service', async (t) => {
  const elsewhere = await serveInsights(t)
  const service = await serveInsights(t)
  const cwd = await temporaryFolder(t)
  const verifies = ['verify', '--report', 'report.md', '--apply', 'real.yaml']
  for (const each of unfriendly)
    for (const command of [['pull', '--out', 'real.json'], verifies]) {
      service.reset(someInsights(), isFrom(1, each, elsewhere.url))
      const [name = '', ...files] = command
      const { code, stderr, stdout } = await run(t, [name, service.url, ...flags, ...files], { cwd, env })
      t.deepEqual([code, stdout], [2, ''], stderr)
      t.regex(stderr, each.says)
      t.is(stderr.trim().split('\n').length, 1, stderr)
      t.true(service.log.length === 1 && onlyReads(service))
      for (const token of Object.values(env)) t.false(stderr.includes(token))
    }
  t.deepEqual(await readdir(cwd), [])
  t.is(elsewhere.log.length, 0)
})

test('a verification reports a service that begins to fail, and keeps the results of the earlier probes', async (t) => {
  const elsewhere = await serveInsights(t)
  const service = await serveInsights(t)
  for (const each of unfriendly) {
    service.reset(someInsights(), { ...isFrom(30, each, elsewhere.url), minimum: 0 })
    const { stderr, stdout } = await exits(t, 1, ['verify', service.url, ...flags], { env })
    t.regex(stdout, each.later)
    t.regex(stdout, / listInsights:limit-below-minimum(?:,|$)/mu)
    t.regex(stdout, /: agrees \d+, differs \d+, could not check \d+; \d+ requests\.$/mu)
    t.true(service.log.length < 200 && onlyReads(service), `${service.log.length}`)
    for (const token of Object.values(env)) t.false(stdout.includes(token) || stderr.includes(token))
  }
  t.is(elsewhere.log.length, 0)
})

test('the process of pull and verify ends, and creates no file', async (t) => {
  const [broken] = unfriendly
  const cwd = await temporaryFolder(t)
  const commands = Object.entries({ pull: 2, verify: 30 }).map(async ([command, from]) => {
    const service = await serveInsights(t)
    service.reset(someInsights(), broken && isFrom(from, broken, ''))
    return { words: [command, service.url, ...flags], cwd, env }
  })
  const ended = await runInOneProcess(await Promise.all(commands))
  t.deepEqual(pluck(ended, 'code'), [1, 0], JSON.stringify(ended))
  t.deepEqual(await readdir(cwd), [])
})

const slow: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'says nothing': () => {},
  'sends byte by byte, without an end': (response) => {
    response.writeHead(200, json)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  },
}

test('pull and verify end within a time limit if the service is too slow', async (t) => {
  const service = await loadService(join(packageFolder, 'spec/insights.yaml'))
  const message = /cannot be read: it did not complete its response within 0\.1 seconds\.$/u
  for (const write of Object.values(slow)) {
    const insights = await serveInsights(t, someInsights(), { write: (response) => write(response) !== null })
    const client = createServiceClient({ url: insights.url, timeoutMs: 100 })
    await t.throwsAsync(pullState({ service, client, callers }), { name: 'RunError', message })
    await t.throwsAsync(verify(insights.url, { timeoutMs: 100 }), { name: 'RunError', message })
    t.true(insights.log.length <= 2)
  }
})

test('a verification ends after three slow responses in a row', async (t) => {
  const reason = /3 failed connections in a row: \S+ did not complete its response within 4 seconds$/u
  await Promise.all(
    Object.entries(slow).map(async ([name, write]) => {
      const insights = await serveInsights(t, someInsights(), {
        write: (response, { count }: Asked) => count > 30 && write(response) !== null,
      })
      const { report } = await verify(insights.url, { timeoutMs: 4000 })
      t.true(pluck(report.probes, 'outcome').includes('agrees'), name)
      t.regex(report.probes.at(-1)?.reason ?? '', reason, name)
      t.is(insights.log.length, 33, name)
    }),
  )
})
