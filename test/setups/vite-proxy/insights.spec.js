import { test as base, expect } from '@playwright/test'
import { doubleFixtures } from 'insights-double/playwright'

const test = base.extend(doubleFixtures)

test('a deleted insight is gone, through the proxy', async ({ page, sandbox }) => {
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveCount(8)
  await page.getByRole('button', { name: 'Delete' }).click()
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204, withinMs: 30_000 })
  await expect(page.getByRole('listitem')).toHaveCount(7)
})

test('a fault is seen on another origin', async ({ double, page, sandbox }) => {
  await sandbox.addFault({ operation: 'listInsights', status: 500, times: 1 })
  await page.goto(`/?api=${double.url}`)
  await expect(page.getByText('Failed: 500')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('listitem')).toHaveCount(8)
})
