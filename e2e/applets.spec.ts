import { randomUUID } from 'node:crypto'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { makeCap } from '../packages/secure-element/src/cap/make-cap.ts'
import { signedIn, testAs, type Account } from './support/account.ts'
import { expectAccessible } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const newCard = (account: Account, kind: SoftwareCard['kind']) =>
  account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `${kind} ${randomUUID().slice(0, 8)}`, kind },
  })
const serialOf = (cplc: string) => cplc.slice(24, 32)

test('an admin drops a CAP file, sees which card would refuse it, and installs it on another', async ({
  page,
  account,
}) => {
  const [small, large] = [await newCard(account, 'small'), await newCard(account, 'scp03')]
  const id = randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()
  const cap = makeCap({
    name: `example.badge${id.toLowerCase()}`,
    aid: `A0000000${id}`,
    applets: [{ aid: `A0000000${id}01`, name: 'example.badge.Badge' }],
    size: 6000,
  })

  await page.goto('/dashboard/maple/applets?create=true')
  const panel = page.locator('[data-panel]')
  await panel.getByTestId('chosen-file').setInputFiles({
    name: 'badge.cap',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(cap),
  })
  await expect(panel).toContainText('badge.cap')
  await expect(panel).toContainText(`A0000000${id}01`)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Upload', exact: true }).click()
  await panel.getByRole('link', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('example.badge')

  for (const { id: cplc } of [small, large]) {
    await page.getByRole('button', { name: 'Add an element' }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill(serialOf(cplc))
    await page.getByRole('option', { name: serialOf(cplc) }).click()
  }
  await page.getByRole('button', { name: 'Check first' }).click()
  const found = page.getByRole('list', { name: 'What the elements would refuse' })
  const foundOn = ({ id: cplc }: SoftwareCard) =>
    found.getByRole('listitem').filter({ hasText: serialOf(cplc) })
  await expect(foundOn(small)).toContainText('Would refuse')
  await expect(foundOn(small)).toContainText(/The package needs \d+ bytes; \d+ are free\./)
  await expect(foundOn(large)).toContainText('Ready')
  await expectAccessible(page)

  await page.getByRole('button', { name: `Remove ${small.name} · ${serialOf(small.id)}` }).click()
  await page.getByRole('button', { name: 'Install', exact: true }).click()
  const targets = page.getByRole('list', { name: 'Elements of the operation' })
  await expect(targets).toContainText(serialOf(large.id))
  await expect(targets).toContainText('Succeeded')
  await expect(page.getByRole('region', { name: 'Installed on' })).toContainText(serialOf(large.id))

  await targets.getByRole('link', { name: 'Session' }).click()
  const log = page.getByRole('listbox', { name: 'Exchanges' })
  await expect(log.getByRole('option', { name: 'LOAD' }).first()).toBeVisible()
  await log.getByRole('option', { name: 'INSTALL' }).last().click()
  await expect(page.getByRole('complementary', { name: 'Exchange' })).toContainText(
    `A0000000${id}01`,
  )
})

test('an applet gets power over a card only by its name, typed once more @long', async ({
  page,
  account,
}) => {
  const card = await newCard(account, 'scp03')
  const id = randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()
  const name = `example.lock${id.toLowerCase()}`
  const cap = makeCap({
    name,
    aid: `A0000000${id}`,
    applets: [{ aid: `A0000000${id}01`, name: `${name}.Lock` }],
  })
  await page.goto('/dashboard/maple/applets?create=true')
  const panel = page.locator('[data-panel]')
  await panel.getByTestId('chosen-file').setInputFiles({
    name: 'lock.cap',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(cap),
  })
  await panel.getByRole('button', { name: 'Upload', exact: true }).click()
  await panel.getByRole('link', { name: 'Open', exact: true }).click()

  await page.getByRole('button', { name: 'Add an element' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(serialOf(card.id))
  await page.getByRole('option', { name: serialOf(card.id) }).click()
  await page.getByText('Privileges and memory').click()
  const warning = page.getByText('The applet gets control of the whole card.')
  await expect(warning).toBeHidden()
  await page.getByRole('checkbox', { name: 'may lock the card' }).check()
  await expect(warning).toBeVisible()
  await expectAccessible(page)

  const install = page.getByRole('button', { name: 'Install', exact: true })
  await install.click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(`Let ${name} control the whole card?`)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('list', { name: 'Elements of the operation' })).toBeHidden()

  await install.click()
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: 'Install' }).click()
  await expect(page.getByRole('list', { name: 'Elements of the operation' })).toContainText(
    'Succeeded',
  )
})
