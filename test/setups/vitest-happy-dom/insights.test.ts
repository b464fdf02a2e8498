import { doubleFixtures, type DoubleFixtures } from 'insights-double/vitest'
import { test as base, expect } from 'vitest'

const test = base.extend<DoubleFixtures>(doubleFixtures)
// happy-dom removes `authorization` from requests to other origins, unless the request includes credentials.
const options = { headers: { authorization: 'Bearer ada-token' }, credentials: 'include' } as const

test.concurrent('a deleted insight is gone', async ({ sandbox }) => {
  await fetch(`${sandbox.url}/insights/monstera-watering`, { ...options, method: 'DELETE' })
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
  expect((await sandbox.diff()).collections['insights']?.removed).toEqual(['monstera-watering'])
})

test.concurrent('a client that retries gets through', async ({ sandbox }) => {
  await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
  expect((await fetch(`${sandbox.url}/insights`, options)).status).toBe(500)
  expect((await fetch(`${sandbox.url}/insights`, options)).status).toBe(200)
})
