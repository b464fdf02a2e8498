const { startDouble } = require('insights-double')

const starting = startDouble()
afterAll(async () => (await starting).stop())

/** Runs a test with a sandbox. If it fails, shows its requests. */
exports.withSandbox = (run) => async () => {
  const sandbox = await (await starting).sandbox()
  try {
    await run(sandbox)
  } catch (error) {
    const { entries } = await sandbox.requests()
    console.error(entries.map(({ method, status, url, verdict }) => `${method} ${url} ${status} ${verdict}`).join('\n'))
    throw error
  } finally {
    await sandbox.stop()
  }
}
