import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'

import { startDouble } from 'insights-double'

const double = await startDouble()
after(() => double.stop())
const headers = { authorization: 'Bearer ada-token' }

describe('insights', { concurrency: true }, () => {
  test('a deleted insight is gone', async (t) => {
    const sandbox = await double.sandbox()
    t.after(() => sandbox.stop())
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
    await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
    assert.deepEqual((await sandbox.diff()).collections.insights.removed, ['monstera-watering'])
  })

  test('a client that retries gets through', async (t) => {
    const sandbox = await double.sandbox()
    t.after(() => sandbox.stop())
    await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
    assert.equal((await fetch(`${sandbox.url}/insights`, { headers })).status, 500)
    assert.equal((await fetch(`${sandbox.url}/insights`, { headers })).status, 200)
  })
})
