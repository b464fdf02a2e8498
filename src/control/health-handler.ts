/** Handles the operation `getHealth`. */
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the version, the uptime, and how much of the service's contract is compiled. */
export const getHealth: AdminHandler = ({ double }) => ({
  body: {
    status: 'ok',
    version: double.version,
    uptimeMs: Math.round(performance.now() - double.startedAt),
    compiledValidators: double.service().contract.countCompiledValidators(),
  },
})
