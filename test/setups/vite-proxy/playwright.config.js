import { defineConfig } from '@playwright/test'

process.env.INSIGHTS_PORT ??= '4010'
process.env.APP_PORT ??= '5173'
process.env.INSIGHTS_DOUBLE_URL = `http://127.0.0.1:${process.env.INSIGHTS_PORT}`
const app = `http://127.0.0.1:${process.env.APP_PORT}`
const executablePath = process.env.CHROMIUM

export default defineConfig({
  fullyParallel: true,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 30_000 },
  use: { baseURL: app, sandboxOrigins: app, ...(executablePath ? { launchOptions: { executablePath } } : {}) },
  webServer: [
    {
      command: `npx insights-double --memory --port ${process.env.INSIGHTS_PORT}`,
      url: process.env.INSIGHTS_DOUBLE_URL,
    },
    { command: `npx vite --host 127.0.0.1 --port ${process.env.APP_PORT}`, url: app },
  ],
})
