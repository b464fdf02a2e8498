import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import test, { type ExecutionContext } from 'ava'
import { connectDouble, type DoubleHandle, type SandboxHandle as Sandbox } from 'insights-double'
import { withSandbox } from 'insights-double/jest'
import { doubleFixtures as forPlaywright } from 'insights-double/playwright'
import { doubleFixtures as forVitest } from 'insights-double/vitest'

import { serve } from './helpers/double.js'
import { as, ask, del, get } from './helpers/http.js'

/** The data about one test that a runner and the fixture exchange. */
interface Run {
  readonly error: Error | undefined
  /** The output and the attachments. */
  readonly shown: string
  readonly sandbox: Sandbox | undefined
}

interface Options {
  readonly hasFailed?: boolean
  readonly expectViolations?: boolean
  readonly fixture?: 'empty'
  readonly now?: string
}

type Runner = (double: DoubleHandle, options: Options, body: (sandbox: Sandbox) => Promise<unknown>) => Promise<Run>

const errorOf = (running: Promise<unknown>): Promise<Error | undefined> =>
  running.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  )

/** Runs something while what it prints as errors is kept. @returns The error that it threw, and the text. */
async function whilePrinting(act: () => Promise<unknown>): Promise<Omit<Run, 'sandbox'>> {
  const printed: string[] = []
  const { error: original } = console
  console.error = (text: string) => void printed.push(text)
  const error = await errorOf(act())
  console.error = original
  return { error, shown: printed.join('\n') }
}

/** Runs a test body as Vitest does: the state of the task is set when `use` resolves. */
const inVitest: Runner = async (double, { expectViolations = false, fixture, hasFailed = false, now }, body) => {
  let sandbox: Sandbox | undefined
  const task = { result: { state: 'run' } }
  const given = { double, expectViolations, fixture, now, task, uniqueTokens: false }
  const ended = await whilePrinting(() =>
    forVitest.sandbox(given, async (created) => {
      sandbox = created
      await body(created)
      task.result.state = hasFailed ? 'fail' : 'run'
    }),
  )
  return { ...ended, sandbox }
}

/** Runs a test body as Playwright does. */
const inPlaywright: Runner = async (double, { expectViolations = false, fixture, hasFailed = false, now }, body) => {
  const attached: string[] = []
  let sandbox: Sandbox | undefined
  const running = {
    status: hasFailed ? 'failed' : 'passed',
    expectedStatus: 'passed',
    attach: async (name: string, { body: text }: { body: string }) => void attached.push(`${name}: ${text}`),
  }
  const use = async (created: Sandbox): Promise<void> => {
    sandbox = created
    await body(created)
  }
  const given = { double, expectViolations, fixture, now, uniqueTokens: false }
  const error = await errorOf(forPlaywright.sandbox(given, use, running))
  return { error, shown: attached.join('\n'), sandbox }
}

/** Runs a test body as Jest does, on the double that `withSandbox` starts. A failed test throws. */
const inJest: Runner = async (_double, { hasFailed = false, ...options }, body) => {
  const own = new Error('of the test')
  let sandbox: Sandbox | undefined
  const runTest = withSandbox(async (created) => {
    sandbox = created
    await body(created)
    if (hasFailed) throw own
  }, options)
  const { error, shown } = await whilePrinting(runTest)
  return { error: error === own ? undefined : error, shown, sandbox }
}

const isDropped = async (t: ExecutionContext, { sandbox }: Run): Promise<void> => {
  await t.throwsAsync(sandbox?.reset() ?? Promise.resolve(), { name: 'DoubleError' })
}

const badLimit = /^GET \/insights\?limit=abc \(400\): Query parameter limit must be .* got "abc"\.\nThe client broke /u

for (const [runner, run] of Object.entries({ Vitest: inVitest, Playwright: inPlaywright, Jest: inJest })) {
  test.serial(`${runner}: a passed test prints nothing, and its sandbox is dropped`, async (t) => {
    const ended = await run(await serve(t), { fixture: 'empty' }, async (sandbox) => {
      t.is((await get(sandbox, '/insights', as('ada'))).text, '[]')
      await get(sandbox, '/insights?limt=1', as('ada'))
    })
    t.like(ended, { error: undefined, shown: '' })
    await isDropped(t, ended)
  })

  test.serial(`${runner}: a test whose client broke the contract fails, unless it expects violations`, async (t) => {
    const double = await serve(t)
    const breaks = (sandbox: Sandbox): Promise<unknown> => get(sandbox, '/insights?limit=abc', as('ada'))
    const ended = await run(double, {}, breaks)
    t.regex(ended.error?.message ?? '', badLimit)
    t.regex(ended.shown, /GET \/insights\?limit=abc {2}400 {2}ada {2}violation/u)
    await isDropped(t, ended)
    const expected = await run(double, { expectViolations: true }, breaks)
    t.deepEqual([expected.error, expected.shown], [undefined, ''])
  })

  test.serial(`${runner}: a failed test prints its requests, changes and violations, with its own error`, async (t) => {
    const ended = await run(await serve(t), { hasFailed: true }, async (sandbox) => {
      await del(sandbox, '/insights/monstera-watering', as('ada'))
      await get(sandbox, '/insights?limit=abc', as('ada'))
    })
    t.is(ended.error, undefined)
    t.regex(ended.shown, /DELETE \/insights\/monstera-watering {2}204 {2}ada {2}ok/u)
    t.regex(ended.shown, /"removed": \[\s+"monstera-watering"\s+\]/u)
    t.regex(ended.shown, /violations:[^]*limit=abc \(400\)/u)
    await isDropped(t, ended)
  })

  test.serial(`${runner}: a failed test without requests says what the root got, and what to set`, async (t) => {
    let url = ''
    const ended = await run(await serve(t), { hasFailed: true }, async (sandbox) => {
      url = sandbox.url.replace(/\/sandboxes.*/u, '')
      await ask({ url }, 'OPTIONS', '/insights')
      for (let count = 0; count < 3; count++) await get({ url }, '/insights', as('ada'))
    })
    t.is(ended.error, undefined)
    t.true(ended.shown.includes(`The root (${url}) got 3 requests meanwhile. `), ended.shown)
    t.regex(ended.shown, /sandboxOrigins.*defineConfig<.*\n.*GET \/insights {2}200 {2}listInsights, ada, ok/u)
    const nothing = await run(await serve(t), { hasFailed: true }, async () => {})
    t.regex(nothing.shown, /The root \(http:.*\) got no request meanwhile either.*INSIGHTS_DOUBLE_URL/u)
    await isDropped(t, nothing)
  })

  test.serial(`${runner}: an invalid option "now" fails the test, with its value`, async (t) => {
    const ended = await run(await serve(t), { now: 'yesterday' }, async () => t.fail())
    t.regex(ended.error?.message ?? '', /now.*"yesterday"/u)
  })

  test.serial(`${runner}: a test may drop its sandbox itself`, async (t) => {
    t.is((await run(await serve(t), { hasFailed: true }, (sandbox) => sandbox.stop())).error, undefined)
  })
}

test('Playwright sends the sandbox header only to the double and to sandboxOrigins', async (t) => {
  const double = connectDouble('http://127.0.0.1:4010')
  const sandbox = { name: 'mine' } as Sandbox
  const urls = ['http://127.0.0.1:4010/insights', 'http://localhost:5173/api/insights', 'https://cdn.example/']
  for (const [sandboxOrigins, count] of [[[], 1] as const, ['http://localhost:5173/', 2] as const]) {
    const sent: Record<string, Record<string, string>> = {}
    const route: Parameters<typeof forPlaywright.context>[0]['context']['route'] = async (matches, handler) => {
      for (const url of urls.filter((each) => matches(new URL(each))))
        await handler({
          request: () => ({ headers: () => ({ accept: 'text/html' }) }),
          fallback: async ({ headers }) => void (sent[url] = headers),
        })
    }
    const context = { route }
    await forPlaywright.context({ context, double, sandbox, sandboxOrigins }, async (used) => void t.is(used, context))
    t.deepEqual(Object.keys(sent), urls.slice(0, count))
    for (const headers of Object.values(sent)) t.deepEqual(headers, { accept: 'text/html', 'insights-sandbox': 'mine' })
  }
})

test.serial('the fixtures use the double at INSIGHTS_DOUBLE_URL and leave it running, or their own', async (t) => {
  const served = await serve(t)
  for (const [open] of [forVitest.double, forPlaywright.double]) {
    process.env['INSIGHTS_DOUBLE_URL'] = served.url
    await open({ doubleOptions: {} }, async ({ url }) => void t.is(url, served.url))
    t.is((await served.health()).status, 'ok')
    delete process.env['INSIGHTS_DOUBLE_URL']
  }
  let started: DoubleHandle | undefined
  await forVitest.double[0]({ doubleOptions: { fixture: 'empty' } }, async (double) => {
    started = double
    t.deepEqual((await double.state())['insights'], [])
  })
  await t.throwsAsync(started?.health() ?? Promise.resolve())
})

test('withSandbox passes the values of test.each on, and takes no callback', async (t) => {
  const runRow = withSandbox((sandbox, ...row: readonly [number, string]) => {
    t.deepEqual(row, [1, 'a'])
    t.regex(sandbox.url, /\/sandboxes\//u)
  })
  t.is(runRow.length, 0, 'Jest would wait for a callback')
  await runRow(1, 'a')
})

test('the worker ends if the runner ends without a teardown', async (t) => {
  const program = `
    import { doubleFixtures } from ${JSON.stringify(new URL('../../bundle/vitest.js', import.meta.url))}
    const [open] = doubleFixtures.double
    void open({ doubleOptions: {} }, async ({ url }) => { console.log(url); await new Promise(() => {}) })`
  const { INSIGHTS_DOUBLE_URL: _, ...env } = process.env
  const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env })
  t.regex(ended.stdout, /^http:/u)
})
