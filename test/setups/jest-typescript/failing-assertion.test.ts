import { withSandbox } from 'insights-double/jest'

const headers = { authorization: 'Bearer ada-token' }

test(
  'expects too much',
  withSandbox(async (sandbox) => {
    await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
    expect((await sandbox.diff()).collections['insights']?.removed).toEqual([])
  }),
)
