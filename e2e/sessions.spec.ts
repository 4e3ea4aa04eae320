import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { keepSignedIn, signedIn, testAs, type Account } from './support/account.ts'
import { accountPage } from './support/account-pages.ts'
import { loginPage } from './support/login-page.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { takeDeveloper } from './support/run-folder.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const newCard = (account: Account) =>
  account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Card ${randomUUID()}` },
  })
const serialOf = (cplc: string) => cplc.slice(24, 32)
const logOf = (page: Page) => page.getByRole('listbox', { name: 'Exchanges' })
const panelOf = (page: Page) => page.getByRole('tabpanel')
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()
const choose = (page: Page, kind: string) => page.getByText(kind, { exact: true }).click()

test('an admin opens a session, sees why a command failed, opens a channel and exports the log', async ({
  page,
  account,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const { id: cplc } = await newCard(account)
  await page.goto(`/dashboard/maple/sessions/se?create=true&cplc=${cplc}`)
  await expect(page.locator('[data-panel]')).toContainText(serialOf(cplc))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(serialOf(cplc))
  await expect(page.getByText('Nothing has been sent yet.')).toBeVisible()

  // The bytes are shown before they are sent.
  await choose(page, 'Get status')
  const bytes = page.getByRole('region', { name: 'Bytes to send' })
  await expect(bytes).toContainText('80 F2 80 02 02 4F 00 00')
  await page.getByLabel('What to list').selectOption('applications')
  await expect(bytes).toContainText('80 F2 40 02 02 4F 00 00')
  await send(page)
  const log = logOf(page)
  const failed = log.getByRole('option', { name: 'GET STATUS' })
  await expect(failed).toContainText('6982 not authenticated for this')

  // With the keyboard: to the first failure, and into its details.
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('f')
  await expect(failed).toHaveAttribute('aria-selected', 'true')
  const details = page.getByRole('complementary', { name: 'Exchange 1' })
  await expect(details).toContainText('The card requires a secure channel for this')
  await expect(page).toHaveURL(/x=1/)
  await expectAccessible(page)

  // Bytes and their meaning side by side, each leading to the other, while sending continues.
  const pane = details.getByRole('region', { name: 'Bytes' })
  const marked = pane.getByRole('group', { name: 'Command' }).locator('[data-marked=true]')
  await details.getByRole('button', { name: 'Instruction (INS)' }).click()
  await expect(marked).toHaveText(['F2', '·'])
  const status = details.getByRole('button', { name: 'Status word' })
  const reply = pane.getByRole('group', { name: 'Reply' })
  await reply.getByText('82').hover()
  await expect(status).toHaveAttribute('data-pointed', 'true')
  await reply.getByText('82').click()
  await expect(status).toHaveAttribute('aria-pressed', 'true')
  await expect(marked).toHaveCount(0)
  for (const part of [status, reply, page.getByRole('button', { name: 'Send', exact: true })])
    await expect(part).toBeInViewport({ ratio: 1 })

  await page.getByRole('tab', { name: 'Secure channel' }).click()
  await page.getByLabel('Security level').selectOption('33')
  await page.getByRole('button', { name: 'Open a secure channel' }).click()
  await expect(log.getByRole('option', { name: 'EXTERNAL AUTHENTICATE' })).toContainText('9000')
  await expect(page.getByRole('main')).toContainText('SCP03 (i = 70), level 33')
  await page.getByRole('tab', { name: 'Commands' }).click()
  await send(page)
  await expect(log.getByRole('option')).toHaveCount(4)

  // Raw bytes, and the protection that the channel adds.
  await page.getByRole('tab', { name: 'Raw bytes' }).click()
  await page.getByLabel('Command APDU in hex').fill('80 CA 9F 7F')
  await page.keyboard.press('Enter')
  await expect(log.getByRole('option', { name: 'GET DATA CPLC' })).toContainText('9000')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  await expect(page.getByRole('complementary', { name: 'Exchange 2' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('get data')
  await expect(log.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Failed only' }).click()
  await expect(log.getByRole('option')).toHaveCount(1)
  await page.getByRole('button', { name: 'Failed only' }).click()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'As a script of commands' }).click()
  const file = await (await download).createReadStream()
  const script = (await file.toArray()).join('')
  expect(script).toMatch(/80\s?F2\s?40\s?02/)
  const trace = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'For Wireshark', exact: true }).click()
  expect((await trace).suggestedFilename()).toMatch(/^session-.*\.pcap$/)
  const pcap = Buffer.concat(await (await (await trace).createReadStream()).toArray())
  expect(pcap.toString('hex')).toMatch(/^a1b2c3d4.*80ca9f7f/)

  await page.getByRole('button', { name: 'End…' }).click()
  await page.getByRole('button', { name: 'End the session' }).click()
  await expect(page.getByText('The session was ended.')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: /^Ended$/ })).toBeVisible()
  await page.reload()
  await expect(log.getByRole('option')).toHaveCount(5)
  await expectAccessible(page)
})

test('two people watch one session, one of them on a phone, and one takes it over @long', async ({
  page,
  account,
  browser,
  baseURL,
}) => {
  const url = baseURL ?? ''
  // Someone else holds the session: a developer with the role in Maple.
  const email = takeDeveloper()
  const other = await signedIn(url, email)
  const { user_id: userId } = await other.call<{ user_id: string }>('/api/user/info')
  await account.call('/api/maple/account', {
    method: 'POST',
    body: { id: userId, roles: ['developer'] },
  })
  const { id: cplc } = await newCard(account)
  const session = await other.call<ElementSession>('/api/maple/sessions/se', {
    method: 'POST',
    body: { cplc },
  })
  const path = `/dashboard/maple/sessions/se/${session.id}`
  const select = () =>
    other.fetch(`/api/maple/sessions/se/${session.id}/command`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'MplSelect' }),
    })

  const context = await browser.newContext({ viewport: phone })
  await keepSignedIn(context, account, url)
  const second = await context.newPage()
  await second.goto(url + path)
  await page.goto(path)
  await expect(page.getByText('You are watching:')).toBeVisible()
  await expect(panelOf(page)).toContainText('Somebody else is sending the commands.')

  expect((await select()).status).toBe(200)
  await expect(logOf(page).getByRole('option', { name: 'SELECT' })).toBeVisible()
  await expect(second.getByRole('option', { name: 'SELECT' })).toBeVisible()

  await page.getByRole('button', { name: 'Take over…' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText(email)
  await question.getByRole('button', { name: 'Take over' }).click()
  await expect(page.getByText('You are watching:')).toBeHidden()
  expect((await select()).status).toBe(409)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(second.getByRole('option')).toHaveCount(2)
  await second.getByRole('option').first().click()
  await expect(second.getByRole('complementary')).toBeVisible()
  await expectNoOverflow(second)
  await expectAccessible(second)

  // The connection is lost and restored: what happened meanwhile is shown once.
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(logOf(page).getByRole('option')).toHaveCount(3)
  await context.setOffline(false)
  await second.reload()
  await expect(second.getByRole('option')).toHaveCount(3)
  await context.close()
})

test('text typed for a card survives a look at another tab and a sign-out elsewhere @long', async ({
  page,
  account,
  context,
}) => {
  const { id: cplc } = await newCard(account)
  const { id } = await account.call<ElementSession>('/api/maple/sessions/se', {
    method: 'POST',
    body: { cplc },
  })
  await page.goto(`/dashboard/maple/sessions/se/${id}`)
  await choose(page, 'Get data')
  const tag = page.getByRole('textbox', { name: 'Tag', exact: true })
  await tag.fill('00CF')
  const tab = (name: string) => page.getByRole('tab', { name }).click()
  const version = page.getByRole('textbox', { name: 'Key version (optional)' })
  const raw = page.getByRole('textbox', { name: 'Command APDU in hex' })
  await tab('Secure channel')
  await version.fill('48')
  await tab('Raw bytes')
  await raw.fill('80 D8 00 81 01 7F')
  await tab('Commands')
  await expect(tag).toHaveValue('00CF')

  const other = await context.newPage()
  await accountPage(other).open()
  await other.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/login?**')
  // New keys must not be readable in this tab by the next person.
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('81 01 7F')
  await loginPage(page).fill(sample.admin)
  await expect(tag).toHaveValue('00CF')
  await expect(panelOf(page)).toContainText('Restored what you typed.')
  await tab('Secure channel')
  await expect(version).toHaveValue('48')
  await tab('Raw bytes')
  await expect(raw).toHaveValue('')

  // The focus is where typing continues.
  await raw.fill('80 CA 9F 7F')
  await raw.press('Enter')
  await logOf(page).getByRole('option').first().click()
  await page.getByRole('button', { name: 'Edit and resend these bytes' }).click()
  await expect(raw).toBeFocused()
  await expect(raw).toHaveValue('80CA9F7F')
  await page.getByRole('button', { name: 'Close the exchange' }).click()
  await expect(logOf(page)).toBeFocused()
})
