import config from './playwright.config.ts'

const executablePath = process.env['CHROMIUM']
export default { ...config, use: { ...config.use, ...(executablePath ? { launchOptions: { executablePath } } : {}) } }
