/** Mutants: changes of one line, each of which removes a guarantee. If the suite passes with one of them, it does not test the guarantee. */
import { connections, streams } from './connection-and-stream-mutants.js'
import { documentsAndCommands } from './document-and-command-mutants.js'
import type { Mutant } from './mutant.js'
import { overridesAndHandlers } from './override-and-handler-mutants.js'
import { realService } from './real-service-mutants.js'
import { admission, service } from './request-mutants.js'
import { responses } from './response-mutants.js'
import { sandboxes } from './sandbox-mutants.js'
import { durability, records } from './state-mutants.js'

/** All of them. */
export const mutants: readonly Mutant[] = [
  ...admission,
  ...service,
  ...records,
  ...responses,
  ...durability,
  ...connections,
  ...streams,
  ...sandboxes,
  ...documentsAndCommands,
  ...overridesAndHandlers,
  ...realService,
]
