// The configuration of the recipe, with the browser and the time limits of this machine.
import config from './playwright.config'

const executablePath = process.env['CHROMIUM']
export default {
  ...config,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  use: { ...config.use, ...(executablePath ? { launchOptions: { executablePath } } : {}) },
}
