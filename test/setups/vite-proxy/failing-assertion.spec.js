import { test as base, expect } from '@playwright/test'
import { doubleFixtures } from 'insights-double/playwright'

const test = base.extend(doubleFixtures)

test('expects too much', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('listitem')).toHaveCount(7)
  await expect(page.getByRole('listitem')).toHaveCount(8, { timeout: 100 })
})
