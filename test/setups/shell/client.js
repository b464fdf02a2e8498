// Two tests in parallel, each with a sandbox: a delete that is seen, and a client that retries.
import assert from 'node:assert/strict'

import { connectDouble } from 'insights-double'

const double = connectDouble(process.env.INSIGHTS_DOUBLE_URL)
const headers = { authorization: 'Bearer ada-token' }
const [limit = '5'] = process.argv.slice(2)

async function deletes() {
  const sandbox = await double.sandbox()
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
  assert.deepEqual((await sandbox.diff()).collections.insights.removed, ['monstera-watering'])
  await sandbox.stop()
}

async function retries() {
  const sandbox = await double.sandbox()
  await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
  assert.equal((await fetch(`${sandbox.url}/insights`, { headers })).status, 500)
  await fetch(`${sandbox.url}/insights?limit=${limit}`, { headers })
  await fetch(`${sandbox.url}/insights`)
  await sandbox.stop()
}

await Promise.all([deletes(), retries()])
