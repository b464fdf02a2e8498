import { doubleFixtures, type DoubleFixtures } from 'insights-double/vitest'
import { test as base, expect, vi } from 'vitest'

vi.useFakeTimers()

const test = base.extend<DoubleFixtures>(doubleFixtures)

test('expects too much', async ({ sandbox }) => {
  const headers = { authorization: 'Bearer ada-token' }
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
  expect((await sandbox.diff()).collections['insights']?.removed).toEqual([])
})
