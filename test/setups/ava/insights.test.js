import test from 'ava'
import { startDouble } from 'insights-double'

const double = await startDouble()
test.after.always(() => double.stop())
const headers = { authorization: 'Bearer ada-token' }

test('a deleted insight is gone', async (t) => {
  const sandbox = await double.sandbox()
  t.teardown(() => sandbox.stop())
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
  t.deepEqual((await sandbox.diff()).collections.insights.removed, ['monstera-watering'])
})

test('a client that retries gets through', async (t) => {
  const sandbox = await double.sandbox()
  t.teardown(() => sandbox.stop())
  await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
  t.is((await fetch(`${sandbox.url}/insights`, { headers })).status, 500)
  t.is((await fetch(`${sandbox.url}/insights`, { headers })).status, 200)
})
