import { doubleFixtures, type DoubleFixtures } from 'insights-double/vitest'
import { test as base, expect } from 'vitest'

const test = base.extend<DoubleFixtures>(doubleFixtures)

test('expects too much', async ({ sandbox }) => {
  // happy-dom removes `authorization` from requests to other origins, unless the request includes credentials.
  const options = { headers: { authorization: 'Bearer ada-token' }, credentials: 'include' } as const
  await fetch(`${sandbox.url}/insights/monstera-watering`, { ...options, method: 'DELETE' })
  expect((await sandbox.diff()).collections['insights']?.removed).toEqual([])
})
