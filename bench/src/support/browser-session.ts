import type { Browser } from '@playwright/test'
import { samplePassword, type SampleRole } from './sign-in.ts'

/** The stored session of a sample account that has just signed in. */
export async function openSession(browser: Browser, url: string, role: SampleRole) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/login`)
  await page.locator('input[name=email]').fill(`${role}@grove.test`)
  await page.locator('input[name=password]').fill(samplePassword)
  await page.locator('button[type=submit]').click()
  await page.waitForURL('**/dashboard**')
  const session = await context.storageState()
  await context.close()
  return session
}
