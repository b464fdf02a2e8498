/** Loads the contract that `--spec` and `--overlay` name, and the handlers that `--handlers` names. */
import type { Service } from '../contract/load-service.js'
import { loadService } from '../contract/load-service.js'
import { addFlagToHints, formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import { loadHandlers } from '../resources/user-handlers/load-handlers.js'
import type { UserHandlers } from '../resources/user-handlers/user-handler-types.js'
import type { ParsedArguments } from './parse-arguments.js'
import { showLoadProgress } from './show-load-progress.js'

/** Loads the contract, and prints the warnings of the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag({ valueOf }: Pick<ParsedArguments, 'valueOf'>): Promise<Service> {
  const spec = valueOf('spec') ?? defaultSpec
  const progress = showLoadProgress(spec)
  const service = await loadService(spec, { overlay: valueOf('overlay'), onProgress: progress.onProgress })
    .catch((error: unknown) => {
      throw addFlagToHints('--spec', error)
    })
    .finally(progress.end)
  for (const line of formatProblems(service.contract.overlayWarnings)) printError(`${line}\n`)
  return service
}

/** Loads the handlers that `--handlers` names. @returns Undefined: none is given. @throws {ProblemsError} They are invalid. */
export async function loadHandlersFlag(
  { valueOf }: Pick<ParsedArguments, 'valueOf'>,
  { contract }: Service,
): Promise<UserHandlers | undefined> {
  const file = valueOf('handlers')
  return file === undefined ? undefined : loadHandlers(file, contract.operations)
}
