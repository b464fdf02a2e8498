import { formatProblems } from '../documents/problem.js'
import { printError } from '../node-process.js'
import { defaultSpec } from '../package-files.js'
import { loadService, type Service, type ServiceOptions } from '../resources/load-service.js'
import { nameSpecFlag, type ParsedArguments } from './parse-arguments.js'
import { loadWithProgress } from './terminal.js'

/** Loads a contract with the overlay, the handlers and the header fields of the flags. @throws {ProblemsError} It is invalid. */
export function loadByFlags({ options }: ParsedArguments, spec: string, more: ServiceOptions = {}): Promise<Service> {
  const { handlers, overlay, specHeaders, specRoot } = options
  return loadService(spec, { handlers, overlay, specHeaders, specRoot, ...more })
}

/** Loads the given contract, and prints the warnings of the spec and the overlay to standard error. @throws {ProblemsError} It is invalid. */
export async function loadSpecFlag(parsed: ParsedArguments): Promise<Service> {
  const { spec = defaultSpec } = parsed.options
  const service = await loadWithProgress(spec, (onProgress) =>
    loadByFlags(parsed, spec, { isStaleAllowed: true, onProgress }),
  ).catch(nameSpecFlag(parsed))
  const { overlayWarnings, specWarnings } = service.contract
  for (const line of formatProblems([...specWarnings, ...overlayWarnings])) printError(`${line}\n`)
  return service
}
