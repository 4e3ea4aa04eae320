import type { Page } from '@playwright/test'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './support/run-folder.ts'
import { expect, password, sample, test } from './support/test.ts'

// Wrong clocks, and a service that crashes in the middle of a call.

const hour = 3_600_000

async function signIn(page: Page, url = '') {
  await page.goto(`${url}/login?from=/dashboard/cedar/mobile`)
  await page.getByRole('textbox', { name: 'Email' }).fill(sample.developer)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/^[^?]+\/dashboard\/cedar\/mobile/)
  await expect(page.getByText('Habit Garden')).toBeVisible()
}

/** Makes the stored access token an expired one. */
const letTokenEnd = (page: Page) =>
  page.evaluate(() => {
    for (const [key, text] of Object.entries(localStorage)) {
      if (!key.includes('/user/')) continue
      const record = JSON.parse(text as string) as { skew: number }
      localStorage.setItem(key, JSON.stringify({ ...record, skew: record.skew + 660_000 }))
    }
  })

for (const [name, shift] of [
  ['two hours fast', 2 * hour],
  ['two hours slow', -2 * hour],
] as const) {
  test(`a clock that is ${name} signs nobody out and causes no refresh loop @long`, async ({
    page,
  }) => {
    await page.addInitScript((milliseconds) => {
      const RealDate = Date
      const now = () => RealDate.now() + milliseconds
      const Shifted = function (this: unknown, ...parts: []) {
        if (!new.target) return new RealDate(now()).toString()
        return parts.length === 0 ? new RealDate(now()) : new RealDate(...parts)
      }
      Object.assign(Shifted, { now, parse: RealDate.parse, UTC: RealDate.UTC })
      Shifted.prototype = RealDate.prototype
      Object.assign(window, { Date: Shifted })
    }, shift)
    let refreshes = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/token/refresh')) refreshes += 1
    })
    await signIn(page)
    const ahead = (await page.evaluate(() => Date.now())) - Date.now()
    expect(Math.abs(ahead - shift)).toBeLessThan(60_000)
    for (let round = 0; round < 3; round += 1) {
      await page.reload()
      await expect(page.getByText('Habit Garden')).toBeVisible()
    }
    expect(refreshes).toBe(0)
    await letTokenEnd(page)
    await page.reload()
    await expect(page.getByText('Habit Garden')).toBeVisible()
    await page.reload()
    await expect(page.getByText('Habit Garden')).toBeVisible()
    expect(refreshes).toBe(1)
  })
}

test('a service that is killed during a refresh ends nobody’s session @long', async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-bad-times-'))
  await copyTemplate(folder)
  const first = await startPlatform({ GROVE_DATA: folder })
  await signIn(page, first.url)
  await letTokenEnd(page)
  let killed = 0
  await page.route('**/api/token/refresh', async (route) => {
    killed += 1
    if (killed === 1) {
      // Frozen, it receives the call and never handles it.
      first.child.kill('SIGSTOP')
      setTimeout(() => first.child.kill('SIGKILL'), 500)
    }
    await route.continue()
  })
  const killedFirst = once(first.child, 'exit')
  await page.reload()
  await killedFirst
  // Not signed out: the page says what is wrong and offers a retry.
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await expect(retry).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
  const again = await startPlatform({
    GROVE_DATA: folder,
    GROVE_PORT: new URL(first.url).port,
  })
  // The page also retries on its own, and may be faster than the click.
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1000 })
    await expect(page.getByText('Habit Garden')).toBeVisible({ timeout: 2000 })
  }).toPass({ timeout: 20_000 })
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
  await again.stop()
  await rm(folder, { recursive: true, force: true })
})

test('the lost answer of a refresh ends nobody’s session', async ({ page }) => {
  await signIn(page)
  await letTokenEnd(page)
  let lost = 0
  await page.route('**/api/token/refresh', async (route) => {
    if (lost > 0) return route.continue()
    lost += 1
    // The token is exchanged, but the browser does not know.
    expect((await route.fetch()).status()).toBe(200)
    await route.abort('connectionreset')
  })
  await page.reload()
  await expect.poll(() => lost).toBe(1)
  await page.reload()
  await expect(page.getByText('Habit Garden')).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile/)
})
