/** Lists all kinds of probes in the order in which they are sent. Probes that may change the service come last. */
import type { ProbeKind } from '../probe-context.js'
import { credentials } from './credentials.js'
import { acceptHeaders, listingsByCaller, undocumentedParameters } from './listings.js'
import { parameterValues } from './parameter-values.js'
import { orderOfChecks, pathsAndMethods } from './paths-and-methods.js'
import {
  creations,
  invalidBodies,
  itemIds,
  recordChanges,
  recordRemovals,
  unexpectedBodies,
  unpermittedChanges,
} from './records.js'

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

export const findProbes: ProbeKind = (context) => kinds.flatMap((kind) => kind(context))
