import { defineConfig } from '@playwright/test'
import type { DoubleTestFixtures, DoubleWorkerFixtures } from 'insights-double/playwright'

process.env['INSIGHTS_DOUBLE_URL'] ??= 'http://127.0.0.1:4010'
process.env['APP_PORT'] ??= '4011'
const url = process.env['INSIGHTS_DOUBLE_URL']
const app = `http://127.0.0.1:${process.env['APP_PORT']}`

export default defineConfig<DoubleTestFixtures, DoubleWorkerFixtures>({
  fullyParallel: true,
  workers: 2,
  use: { baseURL: app, sandboxOrigins: app },
  webServer: [
    { command: `npx insights-double --memory --port ${new URL(url).port}`, url },
    { command: 'node app.js', url: app },
  ],
})
