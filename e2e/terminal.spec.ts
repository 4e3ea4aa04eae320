import { randomUUID } from 'node:crypto'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('a terminal at the bottom of an element accepts other tools’ lines, with the keyboard @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Card ${randomUUID()}` },
  })
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const opener = page.getByRole('button', { name: 'Terminal', exact: true })
  await opener.focus()
  await page.keyboard.press('Enter')
  const dock = page.getByRole('region', { name: 'Terminal' })
  const line = dock.getByRole('textbox', { name: 'Command line' })
  await expect(line).toBeFocused()
  const rows = dock.getByRole('option')

  // A line of gp selects the issuer’s domain, opens the channel and lists.
  await page.keyboard.type('gp -l\n')
  await expect(rows).toHaveCount(4)
  await expect(rows.nth(3)).toContainText('GET STATUS')
  await expect(dock).toContainText('SCP03 · 03')
  await expect(line).toHaveValue('')
  await expect(line).toBeFocused()

  await page.keyboard.type('get_d')
  await page.keyboard.press('Tab')
  await expect(line).toHaveValue('get_data ')
  await page.keyboard.press('Tab')
  await page.keyboard.type('66\n')
  await expect(rows.nth(4)).toContainText('GET DATA')
  // A PIN reaches the card, but neither the log nor the input history keeps it.
  await page.keyboard.type('00 20 00 80 04 31 32 33 34\n')
  await expect(rows.nth(5)).toContainText('VERIFY')
  await expect(rows.nth(5)).not.toContainText('31 32')
  await expect(dock.getByRole('button', { name: 'Send' })).toBeVisible()
  await page.keyboard.press('ArrowUp')
  await expect(line).toHaveValue('get_data -identifier 66')
  await page.keyboard.press('ArrowUp')
  await expect(line).toHaveValue('gp -l')

  // Commands that a session cannot send are reported before anything is sent.
  await line.fill('get_status\ngp --lock 404142434445464748494A4B4C4D4E4F')
  await page.keyboard.press('Enter')
  await expect(dock.getByRole('status')).toContainText('A session cannot send keys.')
  // After the card refuses a command, nothing more is sent.
  await line.fill('80CA006600\nselect -AID F0F0F0F0F0\nget_status')
  await page.keyboard.press('Enter')
  await expect(dock.getByRole('status')).toContainText('the card answered 6A82')
  await expect(line).toHaveValue('select -AID F0F0F0F0F0\nget_status')
  await expect(rows).toHaveCount(8)

  // A lost response is requested again: the card gets the command once.
  await page.route(
    '**/raw',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await line.fill('00A4040000\n80CA006600')
  await page.keyboard.press('Enter')
  await expect(dock.getByRole('alert')).toBeVisible()
  await expect(line).toHaveValue('00A4040000\n80CA006600')
  await page.keyboard.press('Enter')
  await expect(line).toHaveValue('')
  await expect(rows.nth(9)).toContainText('GET DATA')
  await expect(dock.getByRole('button', { name: 'Send' })).toBeVisible()
  await expect(rows).toHaveCount(10)

  await line.fill('select -AID F0F0F0F0F0\nget_status')
  await page.setViewportSize(phone)
  await expectAccessible(page)
  await expectNoOverflow(page)
  await dock.getByRole('button', { name: 'Close' }).click()
  await expect(opener).toBeFocused()
  // The session is still open, and the typed text is still there.
  await opener.click()
  await expect(line).toHaveValue('select -AID F0F0F0F0F0\nget_status')
  await expect(rows).toHaveCount(10)
})

test('a terminal opens a logical channel, and sends on it as well as on the basic one @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Card ${randomUUID()}` },
  })
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await page.getByRole('button', { name: 'Terminal', exact: true }).click()
  const dock = page.getByRole('region', { name: 'Terminal' })
  const line = dock.getByRole('textbox', { name: 'Command line' })
  const rows = dock.getByRole('option')
  await line.fill('gp -l')
  await page.keyboard.press('Enter')
  await expect(rows).toHaveCount(4)

  await page.keyboard.type('man')
  await page.keyboard.press('Tab')
  await page.keyboard.type('o')
  await page.keyboard.press('Tab')
  await expect(line).toHaveValue('manage_channel open ')
  await page.keyboard.press('Enter')
  await expect(rows.nth(4)).toContainText('MANAGE CHANNEL')
  // It has a secure channel of its own, and the basic channel keeps its own.
  await line.fill('on 1 gp -l\nget_status -element 80')
  await page.keyboard.press('Enter')
  await expect(rows).toHaveCount(10)
  await expect(rows.nth(8)).toContainText('GET STATUS logical channel 1')
  await expect(rows.nth(9)).toContainText('GET STATUS the issuer’s domain')
  await expect(dock).toContainText('SCP03 · 03')
  await dock.getByRole('link', { name: 'Whole session' }).click()
  await page.getByRole('option').nth(8).click()
  const details = page.getByRole('complementary', { name: 'Exchange 9' })
  await expect(details).toContainText('Logical channel')
  await expectAccessible(page)
})
