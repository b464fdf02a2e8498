import { test as base, expect } from '@playwright/test'
import { doubleFixtures, type DoubleTestFixtures, type DoubleWorkerFixtures } from 'insights-double/playwright'

const test = base.extend<DoubleTestFixtures, DoubleWorkerFixtures>(doubleFixtures)

test('breaks the contract', async ({ page }) => {
  await page.goto('/?limit=abc')
  await expect(page.getByText('Failed: 400')).toBeVisible()
})

test('expects too much', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('listitem')).toHaveCount(7)
  await expect(page.getByRole('listitem')).toHaveCount(12, { timeout: 100 })
})
