/** Fixtures for Playwright's `test.extend`. Imports no runner, so that there is no second copy of it. */
import type { DoubleOptions, SandboxHandle } from '../index.js'
import type { DoubleWorkerFixtures, SandboxFixtureOptions, SandboxNeeds, Use } from './test-sandbox.js'
import { ownDouble, useSandbox } from './test-sandbox.js'

/** The fixtures and options of a test. `test.use` or `use` in the configuration sets the options. */
export interface DoubleTestFixtures extends SandboxFixtureOptions {
  /** Origins that also get the sandbox's header, such as that of a proxy in front of the double. Default: none. */
  sandboxOrigins: string | readonly string[]
  /** A sandbox of the test. A test fails if its client breaks the contract. The requests of a failed test are attached to it. */
  sandbox: SandboxHandle
}

export type { DoubleWorkerFixtures }

/** The part of Playwright's `testInfo` that is used. */
interface RunningTest {
  readonly status?: string | undefined
  readonly expectedStatus: string
  readonly file?: string
  readonly titlePath?: readonly string[]
  attach(name: string, attachment: { body: string; contentType: string }): Promise<void>
}

/** The part of Playwright's `BrowserContext`, and of its `Route`, that is used. */
interface InterceptingContext {
  route(
    matches: (url: { readonly origin: string }) => boolean,
    handler: (route: {
      request(): { headers(): Record<string, string> }
      fallback(overrides: { headers: Record<string, string> }): Promise<void>
    }) => Promise<void>,
  ): Promise<unknown>
}

type ContextNeeds<Context> = Pick<
  DoubleTestFixtures & DoubleWorkerFixtures,
  'double' | 'sandbox' | 'sandboxOrigins'
> & {
  readonly context: Context
}

/** An option of a test, in the form of `test.extend`. */
const option = <Value>(value: Value): [Value, { option: true }] => [value, { option: true }]

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
export const doubleFixtures = {
  fixture: option(undefined),
  now: option(undefined),
  uniqueTokens: option(false),
  expectViolations: option(false),
  sandboxOrigins: option<string[]>([]),
  doubleOptions: [{}, { scope: 'worker', option: true }] as [DoubleOptions, { scope: 'worker'; option: true }],
  // Playwright reads the names of fixtures from the source of these functions.
  double: ownDouble,
  sandbox: async (
    { double, expectViolations, fixture, now, uniqueTokens }: SandboxNeeds,
    use: Use<SandboxHandle>,
    test: RunningTest,
  ) =>
    useSandbox(
      double,
      { expectViolations, file: test.file, fixture, now, title: test.titlePath?.join(' › '), uniqueTokens },
      use,
      () => test.status !== test.expectedStatus,
      async ({ diff, requests, violations }) => {
        // Playwright prints text, and lists the rest in its report.
        await test.attach('insights-double requests', { body: requests, contentType: 'text/plain' })
        await test.attach('insights-double changes', { body: diff, contentType: 'application/json' })
        await test.attach('insights-double violations', { body: violations || 'none', contentType: 'text/plain' })
      },
    ),
  context: async <Context extends InterceptingContext>(
    { context, double, sandbox, sandboxOrigins }: ContextNeeds<Context>,
    use: Use<Context>,
  ) => {
    const origins = new Set([double.url, ...[sandboxOrigins].flat()].map((url) => new URL(url).origin))
    // Playwright calls the handler that was added first last. So handlers of the test still get the request, and may answer it.
    await context.route(
      ({ origin }) => origins.has(origin),
      async (route) => route.fallback({ headers: { ...route.request().headers(), 'insights-sandbox': sandbox.name } }),
    )
    await use(context)
  },
}
