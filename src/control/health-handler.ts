/** Handles the operation `getHealth`. */
import type { AdminHandler } from './admin-handler-types.js'

/** Returns the version and the uptime. */
export const getHealth: AdminHandler = ({ double }) => ({
  body: { status: 'ok', version: double.version, uptimeMs: Math.round(performance.now() - double.startedAt) },
})
