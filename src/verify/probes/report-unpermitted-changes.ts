/** Names the operations that may change the service and are not permitted, so that the report contains them. */
import type { ProbeKind } from './probe-kind.js'

/** Creates a probe without requests for each operation that is not permitted. */
export const unpermittedChanges: ProbeKind = ({ operations, permissions }) =>
  operations
    .filter(({ isSafe, operation }) => !isSafe && !permissions.allows(operation.id))
    .map(({ operation: { id } }) => ({
      name: `${id}:all-probes`,
      title: `what ${id} does, and what it refuses`,
      operation: id,
      steps: [],
      skipped: `it may change the service, which --may ${id} permits`,
    }))
