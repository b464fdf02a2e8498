/** Lists all kinds of probes in the order in which they are sent. Probes that may change the service come last. */
import type { ProbeContext } from '../probe-context.js'
import type { Probe } from '../probe.js'
import { acceptHeaders } from './accept-headers.js'
import { creations } from './creations.js'
import { credentials } from './credentials.js'
import { invalidBodies } from './invalid-bodies.js'
import { itemIds } from './item-ids.js'
import { listingsByCaller } from './listings-by-caller.js'
import { orderOfChecks } from './order-of-checks.js'
import { parameterValues } from './parameter-values.js'
import { pathsAndMethods } from './paths-and-methods.js'
import type { ProbeKind } from './probe-kind.js'
import { recordChanges } from './record-changes.js'
import { recordRemovals } from './record-removals.js'
import { unpermittedChanges } from './report-unpermitted-changes.js'
import { undocumentedParameters } from './undocumented-parameters.js'
import { unexpectedBodies } from './unexpected-bodies.js'

const kinds: readonly ProbeKind[] = [
  unpermittedChanges,
  listingsByCaller,
  parameterValues,
  undocumentedParameters,
  credentials,
  orderOfChecks,
  pathsAndMethods,
  acceptHeaders,
  unexpectedBodies,
  itemIds,
  creations,
  invalidBodies,
  recordChanges,
  recordRemovals,
]

/** Finds the probes of every kind. */
export const findProbes = (context: ProbeContext): readonly Probe[] => kinds.flatMap((kind) => kind(context))
