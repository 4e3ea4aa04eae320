import { randomUUID } from 'node:crypto'
import { newDeveloper, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('a developer without a provider makes one with its key, and works in it', async ({ page }) => {
  const name = `Tides ${randomUUID().slice(0, 8)}`
  const dialog = page.getByRole('dialog', { name: 'New provider' })
  await page.goto('/dashboard/maple/products')
  await page.getByRole('link', { name: 'Go to the API keys' }).click()
  await expect(page.getByText('You have no provider for devices yet.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New provider' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('Enter a value.')).toBeVisible()
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.type(name)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Enter')

  // Its first key is asked for at once.
  await expect(page.getByRole('region', { name })).toBeVisible()
  const panel = page.locator('[data-panel]')
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('Bench')
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(panel.getByText('Choose a scope.')).toBeVisible()
  await panel.getByRole('button', { name: 'All', exact: true }).click()
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByText('You are working in this stage.')).toBeVisible()
  await page.goto('/dashboard/maple/products')
  await expect(page.getByRole('heading', { name: 'Create your first product' })).toBeVisible()

  // As many as one may make.
  await page.goto('/dashboard/maple/keys')
  for (const each of ['Second', 'Third']) {
    await page.getByRole('button', { name: 'New provider' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill(`${name} ${each}`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: `${name} ${each}` })).toBeVisible()
    await expect(panel.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: 'New provider' })).toHaveCount(0)
})
