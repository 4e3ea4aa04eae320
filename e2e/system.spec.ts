import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  startSmtpServer,
  type SmtpServer,
} from '../apps/platform/src/core/mail/testing/smtp-server.ts'
import { keepSignedIn, signedIn, type Account } from './support/account.ts'
import {
  startPlatform,
  type PlatformProcess,
} from '../apps/platform/src/core/testing/platform-process.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { copyTemplate } from './support/run-folder.ts'
import { expect, ownPassword, sample, test as base } from './support/test.ts'

/** A platform whose mail server the test controls. */
interface MailPlatform {
  platform: PlatformProcess
  smtp: SmtpServer
}

const withMail = base.extend<object, { mail: MailPlatform }>({
  mail: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-jobs-'))
      await copyTemplate(folder)
      const smtp = await startSmtpServer()
      const platform = await startPlatform({ GROVE_DATA: folder, MAIL_URL: smtp.url })
      await use({ platform, smtp })
      await platform.stop()
      await smtp.stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ mail }, use) => use(mail.platform.url),
})

/** Signed in on that platform. */
const as = (email: string) =>
  withMail.extend<{ account: Account }>({
    account: async ({ baseURL }, use) => use(await signedIn(baseURL ?? '', email)),
    context: async ({ context, account, baseURL }, use) => {
      await keepSignedIn(context, account, baseURL ?? '')
      await use(context)
    },
  })
const test = as(sample.admin)
const developerTest = as(sample.developer)

async function signUp(url: string): Promise<string> {
  const email = `${randomUUID()}@example.org`
  const response = await fetch(`${url}/api/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: ownPassword, provider: 'grove' }),
  })
  expect(response.status).toBe(200)
  return email
}

test.describe.configure({ mode: 'serial' })

test('an admin sees why a mail fails, cancels it, and runs it again once the server accepts mail', async ({
  page,
  mail: { platform, smtp },
}) => {
  smtp.behaviour = 'defer'
  const email = await signUp(platform.url)
  await page.goto('/dashboard/system/jobs')
  const row = page.getByRole('row', { name: /Send an email/ }).first()
  await expect(row).toContainText('The mail server rejected the address.')
  await expect(row).toContainText('Queued')
  // The mail server repeats the address, but no page shows it.
  await expect(page.getByText(email)).toHaveCount(0)

  await row.getByRole('link', { name: 'Send an email' }).click()
  const panel = page.getByRole('dialog', { name: 'Send an email' })
  await expect(panel).toContainText('The mail server answered 451.')
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Cancel…' }).click()
  await answer(page, 'Cancel the job')
  await expect(panel).toContainText('Cancelled')

  smtp.behaviour = 'take'
  await panel.getByRole('button', { name: 'Retry…' }).click()
  await expect(question(page)).toContainText('Retry “Send an email”?')
  await answer(page, 'Retry')
  // Without a reload: the page follows the running job.
  await expect(panel).toContainText('Completed')
  await expect(row).toContainText('Completed')
  expect(smtp.mails.map(({ to }) => to[0])).toContain(email)
  await expect(panel.getByRole('button', { name: 'Retry…' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )

  // The audit trail shows what the admin did.
  await page.goto('/dashboard/system/events?action=job.retry')
  const event = page.getByRole('row', { name: /Retried a job/ })
  await event.getByRole('link', { name: 'Retried a job' }).click()
  const change = page.getByRole('table', { name: 'Values before and after' })
  await expect(change.getByRole('row', { name: /state/ })).toContainText('cancelled')
  await expect(change.getByRole('row', { name: /state/ })).toContainText('queued')
})

test('jobs are filtered by state, and each service has its own', async ({ page }) => {
  await page.goto('/dashboard/system/jobs?state=completed')
  await expect(page.getByRole('row', { name: /Send an email/ }).first()).toContainText('Completed')
  await page.getByRole('tab', { name: 'Cedar' }).click()
  await expect(page).toHaveURL(/service=cedar/)
  await page.getByRole('button', { name: 'Remove the filter “State”' }).click()
  await expect(page.getByRole('row', { name: /Delete unused files/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Kind' }).click()
  await page.getByRole('radio', { name: 'Recurring jobs' }).check()
  await page.keyboard.press('Escape')
  const cleanUp = page.getByRole('row', { name: /Delete unused files/ })
  await expect(cleanUp.filter({ hasText: 'Queued' })).toBeVisible()
})

test('the audit trail says who changed a device, with the values before and after', async ({
  page,
  account,
}) => {
  const id = `gate-${randomUUID().slice(0, 8)}`
  await account.call('/api/maple/device', {
    method: 'POST',
    body: { id, name: 'Gate one', type: 'iot' },
  })
  await account.call(`/api/maple/device?id=${id}`, { method: 'PUT', body: { name: 'Gate two' } })
  await page.goto(`/dashboard/system/events?service=maple&q=${id}`)
  const list = page.getByRole('table', { name: 'Audit trail' })
  await expect(list.locator('tbody tr')).toHaveCount(2)
  await list.getByRole('link', { name: 'Changed a device' }).click()
  const panel = page.getByRole('dialog', { name: 'Changed a device' })
  const change = panel.getByRole('row', { name: /^name/ })
  await expect(change.locator('del')).toHaveText('Gate one')
  await expect(change.locator('ins')).toHaveText('Gate two')
  await expectAccessible(page)

  await panel.getByRole('link', { name: id.slice(0, 8) }).click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/devices\?.*device=gate-/)
  await page.goBack()

  await page.getByRole('button', { name: 'Close the panel' }).click()
  await page.getByRole('button', { name: /^Action$/ }).click()
  await page.getByRole('radio', { name: 'Registered a device' }).click()
  await expect(list.locator('tbody tr')).toHaveCount(1)
})

test('both pages fit a phone @long', async ({ page }) => {
  await page.setViewportSize(phone)
  for (const path of ['jobs', 'events']) {
    await page.goto(`/dashboard/system/${path}`)
    await expect(page.locator('tbody tr[data-row]').first()).toBeVisible()
    await expectNoOverflow(page)
    await page.locator('tbody tr[data-row] a').first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectNoOverflow(page)
  }
})

developerTest('a developer sees that the pages are for admins @long', async ({ page }) => {
  for (const path of ['jobs', 'events']) {
    await page.goto(`/dashboard/system/${path}`)
    await expect(page.getByRole('table')).toHaveCount(0)
  }
  await expect(page.getByRole('link', { name: 'My apps' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Jobs' })).toHaveCount(0)
})
