import test from 'ava'
import { startDouble } from 'insights-double'

const double = await startDouble()
test.after.always(() => double.stop())
const headers = { authorization: 'Bearer ada-token' }

test('expects too much', async (t) => {
  const sandbox = await double.sandbox()
  t.teardown(async () => {
    if (!t.passed)
      console.log((await sandbox.requests()).entries.map(({ method, status, url }) => [method, url, status].join(' ')))
    await sandbox.stop()
  })
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
  t.deepEqual((await sandbox.diff()).collections.insights.removed, [])
})
