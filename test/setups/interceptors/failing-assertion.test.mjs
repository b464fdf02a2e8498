import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { startDouble } from 'insights-double'
import { setupServer } from 'msw/node'

const server = setupServer()
server.listen({ onUnhandledRequest: ({ url }, print) => url.startsWith('http://127.0.0.1:') || print.error() })
const double = await startDouble()
after(() => double.stop())
after(() => server.close())
const headers = { authorization: 'Bearer ada-token' }

test('expects too much', async (t) => {
  const sandbox = await double.sandbox()
  try {
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
    assert.deepEqual((await sandbox.diff()).collections.insights.removed, [])
  } catch (error) {
    const { entries } = await sandbox.requests()
    for (const { method, status, url, verdict } of entries) t.diagnostic(`${method} ${url} ${status} ${verdict}`)
    throw error
  } finally {
    await sandbox.stop()
  }
})
