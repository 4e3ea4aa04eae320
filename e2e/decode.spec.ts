import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

// GlobalPlatformPro #383: a real chip whose pre-personalization date is not a valid date.
const reply =
  '9F 7F 2A 4790D32147000000000031800504742075150000000000000000031C2A35303437340000000000000000 9000'

test('pasted bytes are explained on any page, by keyboard and on a phone @long', async ({
  page,
}) => {
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

  // The pointer rests where the parts will appear, and would highlight one of them.
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

test('a trace of another tool is explained command by command, and saved for Wireshark @long', async ({
  page,
}) => {
  await page.goto('/dashboard/maple/secure_elements#decode')
  const dialog = page.getByRole('dialog', { name: 'Decode bytes' })
  const bytes = dialog.getByRole('textbox')
  await bytes.fill(`# gp -d -i
A>> T=1 (4+0000) 00A40400 00
A<< (0018+2) (17ms) 6F108408A000000151000000A5049F6501FF 9000
A>> T=1 (4+0000) 80CA9F7F 00
A<< (0000+2) (11ms) 6A88
`)
  await expect(dialog).toContainText('A trace of GlobalPlatformPro')
  const exchanges = dialog.getByRole('list').first().getByRole('listitem')
  await expect(exchanges.nth(1)).toContainText('GET DATA')
  await expect(exchanges.nth(1)).toContainText('referenced data not found')
  await exchanges.nth(0).locator('summary').click()
  await expect(exchanges.nth(0)).toContainText('issuer security domain (ISD)')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save for Wireshark' }).click()
  const path = await (await download).path()

  // The saved reply opens here again.
  await bytes.fill('')
  await dialog.locator('input[type=file]').setInputFiles(path)
  await expect(dialog).toContainText('A trace of GSMTAP')
  await expect(dialog).toContainText('GET DATA')
})

test('what is typed into the palette is explained there @long', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  const field = palette.getByRole('combobox')
  for (const [typed, said] of [
    ['6A88', '6A88: referenced data not found'],
    ['80 CA 9F 7F 00', 'Command APDU: GET DATA · CPLC'],
    ['A0000000031010', 'AID: Visa'],
    ['3B8B8131FE458073C00140655653453031D6', 'Answer to reset (ATR): TD1: T=1'],
    ['4F08A000000151000000', 'BER-TLV objects: '],
  ] as const) {
    await field.fill(typed)
    await expect(palette.getByRole('option').filter({ hasText: said })).toHaveCount(1)
  }
  await page.keyboard.press('End')
  await palette.getByRole('option').filter({ hasText: 'BER-TLV objects' }).click()
  await expect(page.getByRole('dialog', { name: 'Decode bytes' })).toContainText('4F')
})
