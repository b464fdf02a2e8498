/** Fixtures for Playwright's `test.extend`. Imports no runner, so that there is no second copy of it. */
import type { DoubleHandle, DoubleOptions, SandboxHandle } from '../index.js'
import { type SandboxFixtureOptions, type Use, useDouble, useSandbox } from './test-sandbox.js'

/** The fixtures and options of a test. `test.use` or `use` in the configuration sets the options. */
export interface DoubleTestFixtures extends SandboxFixtureOptions {
  /** Origins that also get the sandbox's header, such as that of a proxy in front of the double. Default: none. */
  sandboxOrigins: string | readonly string[]
  /** A sandbox of the test. A test fails if its client breaks the contract. The requests of a failed test are attached to it. */
  sandbox: SandboxHandle
}

/** The fixtures and options of a worker process. */
export interface DoubleWorkerFixtures {
  /** The options of a double that is started here. Default: none. Not used with `INSIGHTS_DOUBLE_URL`. */
  doubleOptions: DoubleOptions
  /** The double at `INSIGHTS_DOUBLE_URL`, or one for each worker process. */
  double: DoubleHandle
}

/** The part of Playwright's `testInfo` that is used. */
interface RunningTest {
  readonly status?: string | undefined
  readonly expectedStatus: string
  readonly file?: string
  attach(name: string, attachment: { body: string; contentType: string }): Promise<void>
}

/** The part of Playwright's `Route` that is used. */
interface InterceptedRequest {
  request(): { headers(): Record<string, string> }
  fallback(overrides: { headers: Record<string, string> }): Promise<void>
}

/** The part of Playwright's `BrowserContext` that is used. */
interface InterceptingContext {
  route(
    matches: (url: { readonly origin: string }) => boolean,
    handler: (route: InterceptedRequest) => Promise<void>,
  ): Promise<unknown>
}

/** The functions and values of the fixtures, in the form of Playwright's `test.extend`. */
interface PlaywrightFixtures {
  readonly fixture: [undefined, { option: true }]
  readonly now: [undefined, { option: true }]
  readonly uniqueTokens: [boolean, { option: true }]
  readonly expectViolations: [boolean, { option: true }]
  readonly sandboxOrigins: [string[], { option: true }]
  readonly doubleOptions: [DoubleOptions, { scope: 'worker'; option: true }]
  readonly double: [
    (context: { readonly doubleOptions: DoubleOptions }, use: Use<DoubleHandle>) => Promise<void>,
    { scope: 'worker' },
  ]
  readonly sandbox: (
    context: SandboxFixtureOptions & { readonly double: DoubleHandle },
    use: Use<SandboxHandle>,
    test: RunningTest,
  ) => Promise<void>
  readonly context: <Context extends InterceptingContext>(
    context: {
      readonly context: Context
      readonly double: DoubleHandle
      readonly sandbox: SandboxHandle
      readonly sandboxOrigins: string | readonly string[]
    },
    use: Use<Context>,
  ) => Promise<void>
}

/**
 * The fixtures `double` and `sandbox`, and the options `fixture`, `now`, `uniqueTokens`, `expectViolations` and `sandboxOrigins`. Requests of the browser to the
 * double get the sandbox's header; requests to other hosts do not.
 *
 * @example
 * import { test as base } from '@playwright/test'
 * export const test = base.extend<DoubleTestFixtures, DoubleWorkerFixtures>(doubleFixtures)
 *
 * test('deletes an order', async ({ page, sandbox }) => {
 *   await page.goto('/')
 *   await page.getByRole('button', { name: 'Delete' }).click()
 *   await sandbox.waitForRequests({ operation: 'deleteOrder' })
 * })
 */
export const doubleFixtures: PlaywrightFixtures = {
  fixture: [undefined, { option: true }],
  now: [undefined, { option: true }],
  uniqueTokens: [false, { option: true }],
  expectViolations: [false, { option: true }],
  sandboxOrigins: [[], { option: true }],
  doubleOptions: [{}, { scope: 'worker', option: true }],
  // Playwright reads the names of fixtures from the source of these functions.
  double: [async ({ doubleOptions }, use) => useDouble(doubleOptions, use), { scope: 'worker' }],
  sandbox: async ({ double, expectViolations, fixture, now, uniqueTokens }, use, test) =>
    useSandbox(
      double,
      { expectViolations, file: test.file, fixture, now, uniqueTokens },
      use,
      () => test.status !== test.expectedStatus,
      async ({ diff, requests, violations }) => {
        // Playwright prints text, and lists the rest in its report.
        await test.attach('insights-double requests', { body: requests, contentType: 'text/plain' })
        await test.attach('insights-double changes', { body: diff, contentType: 'application/json' })
        await test.attach('insights-double violations', { body: violations || 'none', contentType: 'text/plain' })
      },
    ),
  context: async ({ context, double, sandbox, sandboxOrigins }, use) => {
    const origins = new Set([double.url, ...[sandboxOrigins].flat()].map((url) => new URL(url).origin))
    // Playwright calls the handler that was added first last. So handlers of the test still get the request, and may answer it.
    await context.route(
      ({ origin }) => origins.has(origin),
      async (route) => route.fallback({ headers: { ...route.request().headers(), 'insights-sandbox': sandbox.name } }),
    )
    await use(context)
  },
}
