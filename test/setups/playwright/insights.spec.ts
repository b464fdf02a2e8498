import { test as base, expect } from '@playwright/test'
import { doubleFixtures, type DoubleTestFixtures, type DoubleWorkerFixtures } from 'insights-double/playwright'

const test = base.extend<DoubleTestFixtures, DoubleWorkerFixtures>(doubleFixtures)

test('deletes the first insight', async ({ page, sandbox }) => {
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveCount(8)
  await page.getByRole('button', { name: 'Delete' }).click()
  await sandbox.waitForRequests({ operation: 'deleteInsight', status: 204, withinMs: 5000 })
  await expect(page.getByRole('listitem')).toHaveCount(7)
})

test('shows that the service failed', async ({ page, sandbox }) => {
  await sandbox.addFault({ operation: 'listInsights', status: 500 })
  await page.goto('/')
  await expect(page.getByText('Failed: 500')).toBeVisible()
})

test.describe('with a fixture of its own', () => {
  test.use({ fixture: 'empty', expectViolations: true })
  test('shows no insight, and that a limit is wrong', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('listitem')).toHaveCount(0)
    await page.goto('/?limit=abc')
    await expect(page.getByText('Failed: 400')).toBeVisible()
  })
})
