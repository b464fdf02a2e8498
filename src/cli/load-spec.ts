import { addFlagToHints, formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import type { Service } from '../resources/load-service.js'
import { loadService } from '../resources/load-service.js'
import type { ParsedArguments } from './parse-arguments.js'
import { loadWithProgress } from './terminal.js'

/** Loads the contract and the handlers, and prints the warnings of the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag({ valueOf }: Pick<ParsedArguments, 'valueOf'>): Promise<Service> {
  const spec = valueOf('spec') ?? defaultSpec
  const files = { handlers: valueOf('handlers'), overlay: valueOf('overlay') }
  const service = await loadWithProgress(spec, (onProgress) => loadService(spec, { ...files, onProgress })).catch(
    (error: unknown) => {
      throw addFlagToHints('--spec', error)
    },
  )
  for (const line of formatProblems(service.contract.overlayWarnings)) printError(`${line}\n`)
  return service
}
