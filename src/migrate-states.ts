/** Takes the states of a double over to a changed contract. */
import type { Service } from './contract/load-service.js'
import type { Problem } from './documents/problem.js'
import { ProblemsError } from './documents/problem.js'
import { readDocument } from './resources/document/read.js'
import { toDocument } from './resources/document/write.js'
import type { State } from './resources/records/state.js'
import type { Sandbox } from './sandbox/sandbox.js'

/**
 * Checks whether the states of sandboxes fit a changed contract.
 *
 * @returns What puts them in place, without waiting in between.
 * @throws {ProblemsError} What does not fit. Nothing is changed.
 */
export function migrateStates(sandboxes: readonly Sandbox[], { contract, resources }: Service): () => Promise<void> {
  const reread = (state: State): State | readonly Problem[] => {
    const read = readDocument(toDocument(state), resources)
    if ('state' in read) return read.state
    return read.problems.map(({ hint, message, path }) => ({
      file: contract.file,
      path,
      what: `the present state does not fit the changed contract: ${message}`,
      hint: `${hint}, or reset first`,
    }))
  }
  const changes = sandboxes.map((sandbox) => {
    const next = reread(sandbox.store.pending)
    if (!('collections' in next)) throw new ProblemsError(next)
    const before = reread(sandbox.baseline.state)
    return { sandbox, next, before: 'collections' in before ? before : sandbox.baseline.state }
  })
  return async () => {
    await Promise.all(
      changes.map(({ before, next, sandbox }) =>
        sandbox.store.commit(next, () => (sandbox.baseline = { ...sandbox.baseline, state: before })),
      ),
    )
  }
}
