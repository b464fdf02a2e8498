import { resolve } from 'node:path'

import type { Contract } from '../contract/contract.js'
import type { LoadOptions } from '../contract/load-contract.js'
import { formatProblems, type Problem, ProblemsError } from '../documents/problem.js'
import { plural } from '../error-message.js'
import type { AppOptions, ServedService } from '../http/request-context.js'
import { createServicePlane } from '../http/service-plane.js'
import { type DoubleOptions, doubleOptions } from '../options.js'
import { defaultFixtures, defaultSpec } from '../package-files.js'
import type { DocumentProblem } from '../resources/document/document-problem.js'
import { readDocument } from '../resources/document/read.js'
import { toDocument } from '../resources/document/write.js'
import { withUnanswerable } from '../resources/find-unanswerable.js'
import { loadService, type Service } from '../resources/load-service.js'
import { diffStates } from '../resources/records/diff.js'
import { findLockProblems } from '../resources/role-lock.js'
import { handlersPath } from '../resources/user-handlers/load-handlers.js'
import type { Sandbox, Sandboxes } from '../sandbox/sandbox.js'
import { type Fixture, type FixtureLibrary, loadFixture } from '../state/fixtures.js'
import { type WaitToAsk, type WatchedPaths, watchFiles, watchRemote } from './watch-files.js'

export interface DoubleListeners
  extends
    Pick<LoadOptions, 'isStaleAllowed' | 'onProgress'>,
    Partial<Pick<AppOptions, 'evidenceOf' | 'onExchange' | 'onFailure'>> {
  /** True if hints must not name `--spec`: the contract was an argument of the command. Default false. */
  readonly isSpecArgument?: boolean
  /** @param undone - Records of the root that a changed fixture has reset. @param effect - The end of a sentence that begins with the file. */
  readonly onReload?: (file: string, problem: Error | undefined, undone: number, effect: string) => void
  /** Waits until the documents of a spec from a URL are asked for again. Default: a minute. */
  readonly waitToAsk?: WaitToAsk
}

/** @throws {ProblemsError} The spec, the overlay, the lock or the file of handlers is invalid; or, with `strict`, has diagnostics or differs from the lock. */
export async function loadServicePlane(options: DoubleOptions & DoubleListeners): Promise<ServedService> {
  const { handlerTimeoutMs: timeoutMs = doubleOptions.handlerTimeoutMs.default, lockFile, onFailure } = options
  const { onProgress, spec = defaultSpec, strict = false } = options
  const { handlers, isStaleAllowed, overlay, specHeaders, specRoot } = options
  const loaded = await loadService(spec, { handlers, isStaleAllowed, overlay, specHeaders, specRoot, onProgress })
  const contract = await withUnanswerable(loaded, { isWhole: strict, onProgress })
  const lockProblems = await findLockProblems(loaded, lockFile)
  const findings = [...contract.diagnostics, ...lockProblems]
  if (strict && findings.length > 0) throw new ProblemsError(findings)
  const service = { ...loaded, contract }
  const plane = createServicePlane(service, { timeoutMs, onLateError: (id, error) => onFailure?.(id, error) })
  return { ...service, lockProblems, plane }
}

/**
 * Reloads a changed file. After an error, the previous version stays in use. The watch is active when the promise resolves.
 *
 * A changed spec keeps the states of all sandboxes. A changed fixture resets the root, if it is the fixture of the root's last reset.
 * A fixture that was refused is tried again when the spec, its overlay or the handlers change, because they may have been the reason.
 */
export async function reloadOnChange(
  options: DoubleOptions & DoubleListeners,
  library: FixtureLibrary,
  sandboxes: Sandboxes,
  service: { readonly get: () => ServedService; readonly set: (next: ServedService) => void },
): Promise<() => void> {
  const { fixtures = defaultFixtures, fixture, handlers, onReload, overlay } = options
  const others = [overlay, handlers && handlersPath(handlers)].filter((path) => path !== undefined)
  const named = typeof fixture === 'string' ? [...others, fixture] : others
  const { root } = sandboxes
  /** The root's fixture when a changed version of it was refused. A reset replaces the root's fixture. */
  let refused: Fixture | undefined
  /** The files of a spec that was refused. A change of one may correct it. */
  let tried: readonly string[] = []
  let lastMessage = ''
  const isTried = (file: string): boolean => tried.some((path) => resolve(path) === file)
  /** Reloads a file. @returns The number of undone changes. Undefined: the double does not use the file. */
  const reload = async (file: string): Promise<number | undefined> => {
    const { name } = root.fixture
    const current = name === null ? undefined : (await library.list()).get(name)
    const isFixture = current !== undefined && resolve(current) === file
    const { contract } = service.get()
    const isSpec = contract.files.some((path) => file === resolve(path))
    const isOther = file === contract.file || others.some((path) => file === resolve(path))
    const isChanged = isTried(file) || (isSpec && (await contract.hasChanged()))
    if (!isFixture && !isOther && !isChanged) return undefined
    const isReset = isFixture || (current !== undefined && refused === root.fixture)
    // Until the reset is done.
    if (isReset) refused = root.fixture
    // In a folder, the file that was found.
    const next = await loadServicePlane({ ...options, spec: contract.file, onProgress: undefined })
    // A changed spec must also fit the fixture, or the next reset would fail.
    const loaded = current === undefined ? root.fixture : await loadFixture(current, next.resources)
    if (isReset) {
      service.set(next)
      const undone = countChanges(root)
      await root.reset(loaded)
      return undone
    }
    await root.store.flush()
    // Do not await between these steps: a request would see the new contract with the old state.
    const commit = migrateStates([root, ...sandboxes.list()], next)
    service.set(next)
    await commit()
    return 0
  }
  const reloadAndReport = async (file: string): Promise<void> => {
    try {
      const undone = await reload(file)
      if (undone === undefined) return
      tried = []
      const changed = formatProblems(service.get().lockProblems)
      const reset = undone === 0 ? '' : ` The state was reset to it, which undid ${plural(undone, 'change')}.`
      onReload?.(file, undefined, undone, [`was reloaded.${reset}`, ...changed].join('\n'))
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error))
      // The watch reports these files once when it begins to watch them.
      const isKnown = isTried(file) && problem.message === lastMessage
      lastMessage = problem.message
      if (problem instanceof ProblemsError) tried = [...problem.unread, ...problem.problems.map((each) => each.file)]
      if (!isKnown) onReload?.(file, problem, 0, 'was not reloaded; the previous version stays in use.')
    }
  }
  // A slow reload must not undo a later one.
  let last = Promise.resolve()
  const reloadAfterLast = (file: string): Promise<void> => (last = last.then(() => reloadAndReport(file)))
  const current = (): Contract => service.get().contract
  const watched = (): WatchedPaths => ({ files: [...current().files, ...named, ...tried], folders: [fixtures] })
  const stopFiles = await watchFiles(watched, reloadAfterLast)
  const { file, remote } = current()
  const stopRemote = remote && watchRemote(current, () => reloadAfterLast(file), options.waitToAsk)
  return () => {
    stopFiles()
    stopRemote?.()
  }
}

const countChanges = ({ baseline, store }: Sandbox): number =>
  Object.values(diffStates(baseline.state, store.pending, 0))
    .flatMap(({ counts }) => Object.values(counts ?? {}))
    .reduce((sum, count) => sum + count, 0)

/** @returns Commits all migrated states in one synchronous step. @throws {ProblemsError} A state does not match the contract. */
function migrateStates(sandboxes: readonly Sandbox[], { contract, resources }: Service): () => Promise<void> {
  const toProblem = ({ hint, message, path }: DocumentProblem): Problem => {
    const what = `the current state does not match the changed contract: ${message}`
    return { file: contract.file, path, what, hint: `${hint}, or reset first` }
  }
  const changes = sandboxes.map((sandbox) => {
    const current = readDocument(toDocument(sandbox.store.pending), resources)
    if (!('state' in current)) throw new ProblemsError(current.problems.map(toProblem))
    const baseline = readDocument(toDocument(sandbox.baseline.state), resources)
    return { sandbox, next: current.state, baseline: 'state' in baseline ? baseline.state : sandbox.baseline.state }
  })
  return async () => {
    await Promise.all(
      changes.map(({ baseline, next, sandbox }) =>
        sandbox.store.commit(next, () => (sandbox.baseline = { ...sandbox.baseline, state: baseline })),
      ),
    )
  }
}
