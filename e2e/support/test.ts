import { expect, test as base, type Page } from '@playwright/test'
import { ownPassword, password } from './run-folder.ts'

export { expect, ownPassword, password }

export const sample = {
  developer: 'developer@grove.test',
  admin: 'admin@grove.test',
  customer: 'customer@grove.test',
} as const

/** Tests connect to the platform that global set-up started. */
export const test = base.extend({
  // Read in the worker, which starts after the platform.
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  baseURL: async ({}, use) => use(process.env['GROVE_E2E_URL']),
  page: async ({ page }, use) => {
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      // A refused call is part of many scenarios; a violated policy or a script error never is.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text())
    })
    await use(page)
    expect(problems).toEqual([])
  },
})

/** Signs in through the login page, which leads to the list of apps. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/login?from=/dashboard/cedar/mobile')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/^[^?]+\/dashboard/)
  // The URL changes before the page does.
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeHidden()
}
