jest.useFakeTimers()

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

/** Sends a request as a page does: jsdom has no fetch. Resolves with the status. */
exports.send = (method, url) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    request.setRequestHeader('authorization', 'Bearer ada-token')
    request.onload = () => resolve(request.status)
    request.onerror = () => reject(new Error(`${method} ${url} failed`))
    request.send()
  })
