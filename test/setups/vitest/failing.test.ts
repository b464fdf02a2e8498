import { doubleFixtures, type DoubleFixtures } from 'insights-double/vitest'
import { test as base, expect } from 'vitest'

const test = base.extend<DoubleFixtures>(doubleFixtures)
const headers = { authorization: 'Bearer ada-token' }

test('breaks the contract', async ({ sandbox }) => {
  await fetch(`${sandbox.url}/insights?limit=abc`, { headers })
})

test('expects too much', async ({ sandbox }) => {
  await fetch(`${sandbox.url}/insights/monstera-watering`, { method: 'DELETE', headers })
  const insights = (await (await fetch(`${sandbox.url}/insights`, { headers })).json()) as unknown[]
  expect(insights).toHaveLength(12)
})
