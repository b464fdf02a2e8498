/** The composition root: loads, wires, listens, stops. Everything is put together here, and nowhere else. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Contract } from './contract/contract.js'
import { loadContract } from './contract/load.js'
import type { Problem } from './documents/problem.js'
import { ProblemsError } from './documents/problem.js'
import { sourceExtensions } from './documents/source.js'
import { DoubleError } from './errors.js'
import { createApp } from './http/app.js'
import { createInsightsPlane } from './http/insights-plane.js'
import type { Plane } from './http/plane.js'
import { listen } from './http/server.js'
import { handlers } from './insights/handlers.js'
import type { JournalEntry } from './sandbox/journal.js'
import { defaultJournalLimits } from './sandbox/journal.js'
import { rootName, Sandbox } from './sandbox/sandbox.js'
import { Sandboxes } from './sandbox/sandboxes.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import { createFixtureLibrary } from './state/fixture-library.js'
import type { Fixture, InsightRules } from './state/fixtures.js'
import { fixtureName } from './state/fixtures.js'
import type { StateFile } from './state/state-file.js'
import { holdStateFile } from './state/state-file.js'
import type { State } from './state/state.js'
import type { Store } from './state/store.js'
import { openStore } from './state/store.js'

/** What a double is made of. */
export interface DoubleOptions {
  /** The spec of the service. Default: the one of this package. */
  readonly spec?: string | undefined
  /** The folder of fixtures. Default: that of this package. */
  readonly fixtures?: string | undefined
  /** The fixture to begin with: a name in the folder, or a path. Default `default`. */
  readonly fixture?: string | undefined
  /** The file that keeps the state. Default: none, the state is in memory. */
  readonly state?: string | undefined
  /** Whether to begin anew although there is a state file. Default false. */
  readonly fresh?: boolean | undefined
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port to listen on. Default 0, which picks a free one. */
  readonly port?: number | undefined
  /** Waited before each reply of the service, milliseconds, from 0. Default 0. */
  readonly delayMs?: number | undefined
  /** Hears of every exchange, those with the control plane included. */
  readonly onExchange?: ((entry: JournalEntry, isControl: boolean) => void) | undefined
  /** Hears of what should not have happened, with the id of the exchange it happened in. */
  readonly onFailure?: ((id: string, error: unknown) => void) | undefined
}

/** A double that serves. */
export interface Double {
  /** Where it serves, without a slash at the end. */
  readonly url: string
  readonly contract: Contract
  readonly root: Sandbox
  /** Whether a state file was there and is gone on with. */
  readonly continued: boolean
  /** Operations that have no handler and are answered from the spec's examples. */
  readonly mocked: readonly string[]
  /** Stops: requests in flight finish, the state is saved, the state file is let go of. Within 5 seconds. */
  stop(): Promise<void>
  /** The same as `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** How long requests in flight may take to finish once the double stops, milliseconds. */
const stopWithinMs = 4000

const packageFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The spec of this package. */
export const defaultSpec = packageFile('spec/insights.yaml')
/** The fixtures of this package. */
export const defaultFixtures = packageFile('fixtures')

/**
 * Starts a double, and returns once it serves and every check is warm.
 *
 * @throws {ProblemsError} A spec, a fixture or a state file that cannot be trusted.
 * @throws What Node says when the address cannot be had.
 */
export async function createDouble(options: DoubleOptions = {}): Promise<Double> {
  const contract = await loadServiceContract(options.spec ?? defaultSpec)
  const rules = insightRules(contract)
  const { library, initial } = findFixtures(options, rules)
  const fixture = await loadInitial(library, initial)
  const { file, store } = await openState(fixture.state, rules, options)
  try {
    const root = new Sandbox(rootName, store, fixture)
    const sandboxes = new Sandboxes(root, {
      maxSandboxes: 1000,
      idleMs: 3_600_000,
      journal: defaultJournalLimits,
    })
    const insights: Plane = createInsightsPlane(contract)
    let stopping = false
    const app = createApp({
      sandboxes,
      insights: () => insights,
      delayMs: options.delayMs ?? 0,
      onExchange: options.onExchange ?? (() => {}),
      onFailure: options.onFailure ?? (() => {}),
      isStopping: () => stopping,
    })
    contract.warm()
    const host = options.host ?? '127.0.0.1'
    const listening = await listen({
      host,
      port: options.port ?? 0,
      handle: app.callback(),
      onBroken: (entry) => {
        root.journal.record(entry)
        options.onExchange?.(entry, false)
      },
    })
    const stop = async (): Promise<void> => {
      stopping = true
      await listening.stop(stopWithinMs)
      await store.settled().catch(() => {})
      await file?.release()
    }
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
      contract,
      root,
      continued: file?.continued ?? false,
      mocked: contract.operations.filter(({ id }) => !handlers.has(id)).map(({ id }) => id),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await file?.release()
    throw error
  }
}

/**
 * Loads the spec of the service, which has to have what the double's own code counts on.
 *
 * @throws {ProblemsError} Everything in it that stands in the way of serving it.
 */
export async function loadServiceContract(spec: string): Promise<Contract> {
  const contract = await loadContract(spec)
  const problem = (what: string, remedy: string): Problem => ({ file: spec, path: [], what, remedy })
  const problems: Problem[] = []
  if (contract.propertiesOf('Insight').length === 0) {
    problems.push(problem('has no schema components.schemas.Insight', 'add it; fixtures are checked by it'))
  }
  for (const id of handlers.keys()) {
    if (!contract.operations.some((operation) => operation.id === id)) {
      problems.push(
        problem(
          `has no operation ${id}, which the double has a handler for`,
          'add the operation, or rename one to it',
        ),
      )
    }
  }
  for (const { id, path } of contract.operations) {
    if (/^\/(?:__admin|sandboxes)(?:\/|$)/u.test(path)) {
      problems.push(problem(`operation ${id} is at ${path}, which is the double's own`, 'move it elsewhere'))
    }
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  return contract
}

/** What a contract says of an insight in a fixture. */
export function insightRules(contract: Contract): InsightRules {
  return {
    fields: contract.propertiesOf('Insight'),
    check: (insight) =>
      contract
        .checkValue('Insight', insight)
        .map(({ location, message }) => ({ path: location, message: message.replace(/\.$/u, '') })),
  }
}

function findFixtures(
  { fixture = 'default', fixtures }: DoubleOptions,
  rules: InsightRules,
): { library: FixtureLibrary; initial: string } {
  const isPath = /[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension))
  if (isPath && !existsSync(fixture)) {
    throw new ProblemsError([
      { file: fixture, what: 'cannot be found', remedy: 'check the path given with --fixture' },
    ])
  }
  const library = createFixtureLibrary({
    folder: fixtures ?? defaultFixtures,
    extra: isPath ? fixture : undefined,
    rules: () => rules,
  })
  return { library, initial: isPath ? fixtureName(fixture) : fixture }
}

async function loadInitial(library: FixtureLibrary, name: string): Promise<Fixture> {
  try {
    return await library.load(name)
  } catch (error) {
    if (!(error instanceof DoubleError)) throw error
    const known = [...(await library.list()).keys()].join(', ')
    const remedy = `use one of ${known || 'none, the folder is empty'}, or a path, with --fixture`
    throw new ProblemsError([{ file: name, what: 'is not the name of a fixture', remedy }])
  }
}

async function openState(
  seed: State,
  rules: InsightRules,
  { fresh = false, state }: DoubleOptions,
): Promise<{ file?: StateFile; store: Store }> {
  if (state === undefined) return { store: await openStore(seed) }
  const file = await holdStateFile(state, { rules, fresh })
  try {
    return { file, store: await openStore(seed, file.adapter) }
  } catch (error) {
    await file.release()
    if (!(error instanceof ProblemsError)) throw error
    const remedies = error.problems.map((problem) => ({
      ...problem,
      remedy: `${problem.remedy}, or start with --fresh to begin anew`,
    }))
    throw new ProblemsError(remedies)
  }
}
