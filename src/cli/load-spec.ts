import { addFlagToHints, formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import type { Service } from '../resources/load-service.js'
import { loadService } from '../resources/load-service.js'
import type { ParsedArguments } from './parse-arguments.js'
import { loadWithProgress } from './terminal.js'

/** Loads the contract and the handlers, and prints the warnings of the spec and the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag({ valueOf, valuesOf }: ParsedArguments): Promise<Service> {
  const spec = valueOf('spec') ?? defaultSpec
  const options = {
    handlers: valueOf('handlers'),
    overlay: valueOf('overlay'),
    specHeaders: valuesOf('spec-header'),
    isStaleAllowed: true,
  }
  const service = await loadWithProgress(spec, (onProgress) => loadService(spec, { ...options, onProgress })).catch(
    (error: unknown) => {
      throw addFlagToHints('--spec', error)
    },
  )
  const { overlayWarnings, specWarnings } = service.contract
  for (const line of formatProblems([...specWarnings, ...overlayWarnings])) printError(`${line}\n`)
  return service
}
