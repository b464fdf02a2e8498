jest.useFakeTimers()

const { withSandbox } = require('insights-double/jest')
const { send } = require('./send')

test(
  'expects too much',
  withSandbox(async (sandbox) => {
    await send('DELETE', `${sandbox.url}/insights/monstera-watering`)
    expect((await sandbox.diff()).collections.insights.removed).toEqual([])
  }),
)
