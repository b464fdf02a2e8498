import { formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import type { Service } from '../resources/load-service.js'
import { loadService } from '../resources/load-service.js'
import type { SpecArguments } from './given-spec.js'
import { findGivenSpec, nameSpecFlag } from './given-spec.js'
import { loadWithProgress } from './terminal.js'

/** Loads the contract and the handlers, and prints the warnings of the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag(parsed: SpecArguments): Promise<Service> {
  const { valueOf } = parsed
  const spec = (await findGivenSpec(parsed)) ?? defaultSpec
  const files = { handlers: valueOf('handlers'), overlay: valueOf('overlay') }
  const service = await loadWithProgress(spec, (onProgress) => loadService(spec, { ...files, onProgress })).catch(
    nameSpecFlag(parsed),
  )
  for (const line of formatProblems(service.contract.overlayWarnings)) printError(`${line}\n`)
  return service
}
