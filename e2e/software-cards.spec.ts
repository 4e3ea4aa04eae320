import { randomUUID } from 'node:crypto'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin creates a card, reads it, breaks it on purpose and sees why in words @long', async ({
  page,
}) => {
  const name = `Practice ${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/software_cards?create=true')
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const panel = page.locator('[data-panel]')
  await expect(panel.getByRole('heading', { name })).toBeVisible()
  await expectAccessible(page)
  const list = page.url()
  const cplc = new URL(list).searchParams.get('card') ?? ''
  expect(cplc).toMatch(/^[0-9A-F]{84}$/)

  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const card = page.getByRole('region', { name: 'The card' })
  await card.getByRole('button', { name: 'Read the card' }).click()
  await expect(card).toContainText('Read now')
  await expect(page.getByRole('region', { name: 'Security domains' })).toContainText(
    'A000000151000000',
  )
  // Nothing was known before, so nothing can differ.
  await expect(card).not.toContainText('differed')
  await expectAccessible(page)

  await page.goto(list)
  await panel.getByRole('button', { name: 'Break…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Break the card on purpose' })
  await dialog.getByRole('combobox', { name: 'Fault' }).selectOption({ label: 'Other keys' })
  await dialog.getByRole('button', { name: 'Break the card' }).click()
  await expect(dialog).toBeHidden()

  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await card.getByRole('button', { name: 'Read again' }).click()
  await expect(card.getByRole('alert')).toContainText('The card did not do this')
  await card.getByRole('link', { name: 'Open the session' }).click()
  await expect(page.getByRole('main')).toContainText('The keys are not those of the card.')
})

test.describe('on a phone, dark, in Russian', () => {
  test.use({ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' })

  test('an admin makes a card', async ({ page }) => {
    await inRussian(page)
    await page.goto('/dashboard/maple/software_cards?create=true')
    await expect(page.getByRole('textbox', { name: 'Название' })).toBeVisible()
    await expectNoOverflow(page)
    await page.getByRole('textbox', { name: 'Название' }).fill(`Проба ${randomUUID().slice(0, 8)}`)
    await page.getByRole('button', { name: 'Создать', exact: true }).click()
    await expect(page.locator('[data-panel]').getByRole('heading').first()).toContainText('Проба')
    await expectNoOverflow(page)
    await expectAccessible(page)
  })
})
