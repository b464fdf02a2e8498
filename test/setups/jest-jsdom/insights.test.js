jest.useFakeTimers()

const { withSandbox } = require('insights-double/jest')
const { send } = require('./send')

test.concurrent(
  'a deleted insight is gone',
  withSandbox(async (sandbox) => {
    expect(await send('DELETE', `${sandbox.url}/insights/monstera-watering`)).toBe(204)
    await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
    expect((await sandbox.diff()).collections.insights.removed).toEqual(['monstera-watering'])
  }),
)

test.concurrent(
  'a client that retries gets through',
  withSandbox(async (sandbox) => {
    await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
    expect(await send('GET', `${sandbox.url}/insights`)).toBe(500)
    expect(await send('GET', `${sandbox.url}/insights`)).toBe(200)
  }),
)
