/** Migrates the states of a double to a changed contract. */
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { readDocument } from '../resources/document/read.js'
import { toDocument } from '../resources/document/write.js'
import type { Service } from '../resources/load-service.js'
import type { State } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'

/**
 * Checks the states of sandboxes against a changed contract.
 *
 * @returns A function that commits the migrated states of all sandboxes in the same synchronous step.
 * @throws {ProblemsError} A state does not match the contract. Nothing is changed then.
 */
export function migrateStates(sandboxes: readonly Sandbox[], { contract, resources }: Service): () => Promise<void> {
  const migrate = (state: State): State | readonly Problem[] => {
    const result = readDocument(toDocument(state), resources)
    if ('state' in result) return result.state
    return result.problems.map(({ hint, message, path }) => ({
      file: contract.file,
      path,
      what: `the current state does not match the changed contract: ${message}`,
      hint: `${hint}, or reset first`,
    }))
  }
  const changes = sandboxes.map((sandbox) => {
    const next = migrate(sandbox.store.pending)
    if (!('collections' in next)) throw new ProblemsError(next)
    const baseline = migrate(sandbox.baseline.state)
    return { sandbox, next, baseline: 'collections' in baseline ? baseline : sandbox.baseline.state }
  })
  return async () => {
    await Promise.all(
      changes.map(({ baseline, next, sandbox }) =>
        sandbox.store.commit(next, () => (sandbox.baseline = { ...sandbox.baseline, state: baseline })),
      ),
    )
  }
}
