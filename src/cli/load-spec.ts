import { formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import type { Service } from '../resources/load-service.js'
import { loadService } from '../resources/load-service.js'
import type { SpecArguments } from './given-spec.js'
import { findGivenSpec, nameSpecFlag, readSpecFlags } from './given-spec.js'
import { loadWithProgress } from './terminal.js'

/** Loads the contract and the handlers, and prints the warnings of the spec and the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag(parsed: SpecArguments): Promise<Service> {
  const { valueOf } = parsed
  const spec = (await findGivenSpec(parsed)) ?? defaultSpec
  const files = { handlers: valueOf('handlers'), overlay: valueOf('overlay') }
  const options = { ...files, ...readSpecFlags(parsed), isStaleAllowed: true }
  const service = await loadWithProgress(spec, (onProgress) => loadService(spec, { ...options, onProgress })).catch(
    nameSpecFlag(parsed),
  )
  const { overlayWarnings, specWarnings } = service.contract
  for (const line of formatProblems([...specWarnings, ...overlayWarnings])) printError(`${line}\n`)
  return service
}
