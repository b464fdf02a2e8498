const { withSandbox } = require('insights-double/jest')

const headers = { authorization: 'Bearer ada-token' }

test(
  'breaks the contract',
  withSandbox((sandbox) => fetch(`${sandbox.url}/insights?limit=abc`, { headers })),
)

test(
  'expects too much',
  withSandbox(async (sandbox) => {
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
    expect((await sandbox.diff()).collections.insights.removed).toEqual([])
  }),
)
