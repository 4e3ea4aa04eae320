import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

// GlobalPlatformPro #383: a real chip, whose pre-personalization date is not a date.
const reply =
  '9F 7F 2A 4790D32147000000000031800504742075150000000000000000031C2A35303437340000000000000000 9000'

test('pasted bytes are explained on any page, by keyboard and on a phone', async ({ page }) => {
  await page.goto('/dashboard/maple/devices')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  await palette.getByRole('combobox').fill('decode by')
  await expect(palette.getByRole('option')).toHaveText([/^Decode bytes/])
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Decode bytes' })
  const bytes = dialog.getByRole('textbox')
  await expect(bytes).toBeFocused()
  await expect(dialog).toContainText('Paste hex to decode it.')

  await bytes.fill(reply)
  await expect(dialog).toContainText('Chip ID')
  await expect(dialog).toContainText('4790D3213180050474207515')
  await dialog.getByRole('radio', { name: 'IC fabricator' }).focus()
  await expect(dialog).toContainText('NXP')
  for (let field = 0; field < 5; field++) await page.keyboard.press('ArrowRight')
  await expect(dialog).toContainText('Jun 29, 2023 or Jun 29, 2013')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await dialog.locator('label', { hasText: '2A 35' }).click()
  await expect(dialog).toContainText('not a date')

  await bytes.fill('9F7F2A4790ZZ')
  await expect(dialog).toContainText('“Z” at byte 5 is not a hex digit.')
  await bytes.fill('9F7F2A4790')
  await expect(dialog).toContainText('42 bytes expected from byte 3, but there are 2')
  await expect(dialog.locator('mark')).toHaveText('47')

  // The pointer rests where the parts appear, and would mark one of them.
  await page.mouse.move(0, 0)
  await bytes.fill('80E4008007 4F0501020304 0500')
  await expect(dialog).toContainText('Command APDU')
  await dialog.getByRole('button', { name: 'Instruction (INS)' }).focus()
  await expect(dialog.locator('mark')).toHaveText('E4')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  expect(new URL(page.url()).hash).toBe('')
})
