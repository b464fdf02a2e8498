const { send, withSandbox } = require('./with-sandbox')

test(
  'expects too much',
  withSandbox(async (sandbox) => {
    await send('DELETE', `${sandbox.url}/insights/monstera-watering`)
    expect((await sandbox.diff()).collections.insights.removed).toEqual([])
  }),
)
