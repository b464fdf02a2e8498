import { fireEvent, render, within } from '@testing-library/react'
import { doubleFixtures } from 'insights-double/vitest'
import React from 'react'
import { test as base, expect, vi } from 'vitest'

import { Insights } from './insights.jsx'

const test = base.extend(doubleFixtures)
const patience = { timeout: 30_000 }

test.concurrent('a deleted insight is gone', async ({ sandbox }) => {
  const { container } = render(<Insights api={sandbox.url} />)
  fireEvent.click(await within(container).findByText('Delete monstera-watering', {}, patience))
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204 })
  await vi.waitFor(() => expect(within(container).queryByText('Delete monstera-watering')).toBeNull(), patience)
})

test.concurrent('a list that failed once is shown', async ({ sandbox }) => {
  await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
  const { container } = render(<Insights api={sandbox.url} />)
  await within(container).findByText('Delete monstera-watering', {}, patience)
  expect((await sandbox.requests({ operation: 'listInsights' })).matched).toBe(2)
})
