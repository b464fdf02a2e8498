import { fireEvent, render, within } from '@testing-library/react'
import { doubleFixtures } from 'insights-double/vitest'
import React from 'react'
import { test as base, expect } from 'vitest'

import { Insights } from './insights.jsx'

const test = base.extend(doubleFixtures)

test('expects too much', async ({ sandbox }) => {
  const { container } = render(<Insights api={sandbox.url} />)
  fireEvent.click(await within(container).findByText('Delete monstera-watering', {}, { timeout: 30_000 }))
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
  expect((await sandbox.diff()).collections.insights.removed).toEqual([])
})
