import { withSandbox } from 'insights-double/jest'

const headers = { authorization: 'Bearer ada-token' }

test.concurrent(
  'a deleted insight is gone',
  withSandbox(async (sandbox) => {
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
    await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
    expect((await sandbox.diff()).collections['insights']?.removed).toEqual(['monstera-watering'])
  }),
)

test.concurrent(
  'a client that retries gets through',
  withSandbox(async (sandbox) => {
    await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
    expect((await fetch(`${sandbox.url}/insights`, { headers })).status).toBe(500)
    expect((await fetch(`${sandbox.url}/insights`, { headers })).status).toBe(200)
  }),
)
