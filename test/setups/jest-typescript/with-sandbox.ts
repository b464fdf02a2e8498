import { startDouble, type DoubleHandle } from 'insights-double'

const starting = startDouble()
afterAll(async () => (await starting).stop())

/** Runs a test with a sandbox. If it fails, shows its requests. */
export const withSandbox = (run: (sandbox: DoubleHandle) => Promise<void>) => async (): Promise<void> => {
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
