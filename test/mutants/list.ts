/** Mutants: changes of one line, each of which removes a guarantee. If the suite passes with one of them, it does not test the guarantee. */
import type { Mutant } from './mutant.js'
import { overridesAndHandlers } from './overrides-and-handlers.js'
import { realService } from './real-service.js'
import { admission, service } from './requests.js'
import { connections, replies, streams } from './responses.js'
import { edges, sandboxes } from './sandboxes.js'
import { durability, records } from './state.js'

/** All of them. */
export const mutants: readonly Mutant[] = [
  ...admission,
  ...service,
  ...records,
  ...replies,
  ...durability,
  ...connections,
  ...streams,
  ...sandboxes,
  ...edges,
  ...overridesAndHandlers,
  ...realService,
]
