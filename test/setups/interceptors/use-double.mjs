import assert from 'node:assert/strict'

import { startDouble } from 'insights-double'

/** The app under test: its requests are sent from the thread of the test. */
export const listInsights = async ({ url }) =>
  (await fetch(`${url}/insights`, { headers: { authorization: 'Bearer ada-token' } })).status

/** Starts a double, uses its handle, and stops it. The app's request gets a fault. */
export async function useDouble(app = listInsights) {
  const double = await startDouble()
  try {
    const sandbox = await double.sandbox({ fixture: 'default' })
    await sandbox.addFault({ operation: 'listInsights', status: 503 })
    assert.equal(await app(sandbox), 503)
    const { nearest } = await sandbox.waitForRequests({ status: 200, withinMs: 20 }).catch((error) => error)
    await sandbox.stop()
    return nearest.length
  } finally {
    await double.stop()
  }
}

/** An app that sends no request. */
export const noApp = async () => 503
