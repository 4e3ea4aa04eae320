import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  inRussian,
  phone,
} from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const published = '404142434445464748494A4B4C4D4E4F'
const other = 'A0'.repeat(16)

test('an admin rotates the keys of a card, imports wrong ones and reads which the card has @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Keys ${randomUUID()}` },
  })
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const keys = page.getByRole('region', { name: 'Keys', exact: true })
  await expect(keys).toContainText('SCP03, AES-128')
  await expect(keys).toContainText('504A77 504A77 504A77')

  await keys.getByRole('button', { name: 'Rotate…' }).click()
  const rotate = page.getByRole('dialog', { name: 'Rotate the keys?' })
  await expect(rotate).toContainText('never sends PUT KEY twice')
  await expectAccessible(page, 'dialog')
  await rotate.getByRole('button', { name: 'Rotate the keys' }).click()
  await expect(keys).toContainText('They are in use now.')
  await expect(keys).toContainText('made by Grove')
  await keys.getByText('Journal', { exact: true }).click()
  await expect(keys.getByRole('list').getByText('The card accepted the new keys.')).toBeVisible()
  await expectAccessible(page)

  // Import keys that are not the card's; check values appear while typing.
  await keys.getByRole('button', { name: 'Retire…' }).click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('30')
  await answer(page, 'Retire the keys')
  await expect(keys).toContainText('The keys are unknown')
  await keys.getByRole('button', { name: 'Import keys…' }).click()
  const form = page.getByRole('dialog', { name: 'Import keys' })
  await form.getByRole('textbox', { name: 'ENC', exact: true }).fill(published)
  await expect(form.getByText('KCV 504A77')).toBeVisible()
  await form.getByRole('textbox', { name: 'Expected KCV' }).first().fill('000000')
  await form.getByRole('textbox', { name: 'MAC', exact: true }).fill(other)
  await form.getByRole('textbox', { name: 'DEK', exact: true }).fill(other)
  await form.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(form).toContainText('This key has 504A77')
  await expectAccessible(page, 'dialog')
  await form.getByRole('textbox', { name: 'Expected KCV' }).first().fill('504a77')
  await form.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(keys).toContainText('imported')

  // After one attempt only an explanation: the card has keys that nobody knows.
  await page.getByRole('button', { name: 'Read the card' }).click()
  await page.getByRole('alert').getByRole('link', { name: 'Open the session' }).click()
  const main = page.getByRole('main')
  await expect(main).toContainText('The keys are not those of the card.')
  await expect(main).toContainText('No key known to Grove fits')
  await main.getByRole('link', { name: 'See the element' }).click()
  await expect(main).toContainText('The keys did not match the card.')
  await expect(main).toContainText('No key known to Grove fits')
  await main.getByRole('button', { name: 'Clear the block…' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('another failed attempt')
  await answer(page, 'Clear the block')
  await expect(main).toContainText('The block is cleared.')

  // A rotation fails on the same keys. It ends without a reload, and no second attempt is offered.
  await keys.getByRole('button', { name: 'Rotate…' }).click()
  await rotate.getByRole('button', { name: 'Rotate the keys' }).click()
  await expect(main).toContainText('a card counts failed attempts')
  await expect(main).not.toContainText('The block is cleared.')
  await expect(keys.getByRole('button', { name: 'Rotate…' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
})

test('an admin hands a domain to its owner: first keys, and the same under a transport key @long', async ({
  page,
  account,
  baseURL,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Domain ${randomUUID()}`, kind: 'no-cplc' },
  })
  const aid = 'A0000001515350410007'
  await account.call('/api/maple/se/card/read', { method: 'POST', body: { cplc } })
  const domains = [
    ...(await account.call<{ items: object[] }>(`/api/maple/se/domains?cplc=${cplc}`)).items,
    {
      aid,
      parent: 'A000000151000000',
      state: 'selectable',
      privileges: ['securityDomain', 'trustedPath'],
    },
  ]
  const { digest } = await account.call<{ digest: string }>(
    '/api/maple/se/card/domains?dryRun=true',
    { method: 'POST', body: { cplc, domains } },
  )
  await account.call('/api/maple/se/card/domains?dryRun=false', {
    method: 'POST',
    body: { cplc, domains, digest },
  })
  const operation = `/api/maple/se/card/operation?cplc=${cplc}`
  await expect
    .poll(async () => JSON.stringify(await account.call(operation)))
    .toContain('"succeeded"')
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await expect(page.getByRole('main')).toContainText('This card has no CPLC.')
  const keys = page.getByRole('region', { name: 'Keys', exact: true })
  await keys.getByRole('button', { name: 'Give a domain keys…' }).click()
  const give = page.getByRole('dialog', { name: 'Give a domain its first keys?' })
  await expect(give).toContainText(aid)
  await give.getByRole('combobox', { name: 'The new keys are' }).selectOption('entered here')
  await give.getByRole('button', { name: 'Send the keys' }).click()
  await expect(give).toContainText('Enter 32, 48 or 64 hex digits.')
  for (const [index, name] of ['ENC', 'MAC', 'DEK'].entries())
    await give.getByRole('textbox', { name, exact: true }).fill(`B${index}`.repeat(16))
  await expectAccessible(page, 'dialog')
  await give.getByRole('button', { name: 'Send the keys' }).click()
  await expect(keys).toContainText('They are in use now.')
  await expect(keys).toContainText('First keys of a domain, version 30')
  await expect(keys.getByRole('button', { name: 'Give a domain keys…' })).toBeHidden()

  const set = keys.getByRole('listitem').filter({ hasText: aid })
  await set.getByRole('button', { name: 'Export…' }).click()
  const ask = page.getByRole('dialog', { name: 'Export key version 30?' })
  await ask.getByRole('textbox', { name: 'Transport key' }).fill('C0'.repeat(8))
  await ask.getByRole('button', { name: 'Request the export' }).click()
  await expect(ask).toContainText('Enter 32, 48 or 64 hex digits.')
  await ask.getByRole('textbox', { name: 'Transport key' }).fill('C0'.repeat(16))
  await expect(ask.getByText(/^KCV [\dA-F]{6}$/)).toBeVisible()
  await ask.getByRole('combobox', { name: 'Format' }).selectOption('TR-31 key blocks, for an HSM')
  await expectAccessible(page, 'dialog')
  await ask.getByRole('button', { name: 'Request the export' }).click()
  const wanted = keys.getByRole('listitem').filter({ hasText: 'Export of version 30' })
  await expect(wanted).toContainText('Waiting')
  await expect(wanted).toContainText('TR-31 key blocks.')
  for (let count = 0; count < 2; count++) {
    const other = await officer(account, baseURL ?? '')
    const { items } = await other.call<{ items: Approval[] }>(`/api/maple/approvals?cplc=${cplc}`)
    await other.call(`/api/maple/approvals?id=${items[0]?.id ?? ''}`, {
      method: 'PUT',
      body: { isApproved: true },
    })
  }
  const saved = page.waitForEvent('download')
  await wanted.getByRole('button', { name: 'Save the wrapped keys' }).click()
  const file = await readFile(await (await saved).path(), 'utf8')
  expect(JSON.parse(file)).toMatchObject({
    format: 'grove-keys',
    wrapping: 'TR-31',
    cplc,
    domain: aid,
    keys: { mac: expect.stringMatching(/^D0144M6AC30E0000/) },
  })
  expect(file).not.toContain('B0B0B0')

  // Another Grove would not have them yet.
  await set.getByRole('button', { name: 'Retire…' }).click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('30')
  await answer(page, 'Retire the keys')
  await keys.getByRole('button', { name: 'Import keys…' }).click()
  const form = page.getByRole('dialog', { name: 'Import keys' })
  await form
    .getByRole('combobox', { name: 'The keys are' })
    .selectOption('exported by another Grove')
  await form.getByRole('textbox', { name: 'Wrapped keys' }).fill(file)
  await expect(form.getByRole('combobox', { name: 'Security domain' })).toHaveValue(aid)
  await form.getByRole('textbox', { name: 'Transport key' }).fill('C1'.repeat(16))
  await form.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(form).toContainText('This transport key does not open the keys')
  await form.getByRole('textbox', { name: 'Transport key' }).fill('C0'.repeat(16))
  await expectAccessible(page, 'dialog')
  await form.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(set.filter({ hasText: 'imported' }).filter({ hasText: 'In use' })).toBeVisible()
})

/** Someone besides the admin who may approve. */
async function officer(account: Account, url: string): Promise<Account> {
  const other = await newDeveloper(url)
  const { user_id: id } = await other.call<{ user_id: string }>('/api/user/info')
  await account.call('/api/maple/account', {
    method: 'POST',
    body: { id, roles: ['security_officer'] },
  })
  return other
}

test.describe('on a phone, dark, in Russian', () => {
  test.use({ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' })

  test('one person’s request is approved by an admin and another person', async ({
    page,
    account,
    baseURL,
  }) => {
    const url = baseURL ?? ''
    const [asker, second] = [await officer(account, url), await officer(account, url)]
    const cplc = `4790D321${randomUUID().replaceAll('-', '').toUpperCase()}`.padEnd(84, '0')
    const post = { method: 'POST' } as const
    await account.call('/api/maple/se/element', { ...post, body: { cplc } })
    await asker.call('/api/maple/se/hsm', { ...post, body: { cplc, enable: true } })

    await inRussian(page)
    await page.goto('/dashboard/maple')
    await page.getByRole('link', { name: /^Запросы, ждущие вашего согласия/ }).click()
    const path = `/api/maple/approvals?cplc=${cplc}`
    const { items } = await account.call<{ items: Approval[] }>(path)
    const id = items[0]?.id ?? ''
    await expectNoOverflow(page)
    await expectAccessible(page)
    await page.goto(`/dashboard/maple/approvals?request=${id}`)
    const panel = page.locator('[data-panel]')
    await expect(panel).toContainText('Без HSM этим чипом нельзя управлять.')
    await expectNoOverflow(page)
    await expectAccessible(page)
    await panel.getByRole('button', { name: 'Отказать…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Отказать в запросе?' })
    await dialog.getByRole('button', { name: 'Отказать', exact: true }).click()
    await expect(dialog).toContainText('Укажите причину отказа.')
    await page.keyboard.press('Escape')
    await panel.getByRole('button', { name: 'Одобрить…' }).click()
    await page
      .getByRole('dialog', { name: 'Одобрить запрос?' })
      .getByRole('button', { name: 'Одобрить', exact: true })
      .click()
    await expect(panel).toContainText('1 из 2')
    await expect(panel).toContainText('Нужно согласие ещё одного человека.')

    const body = { isApproved: true, comment: 'Согласовано с банком' }
    await second.call(`/api/maple/approvals?id=${id}`, { method: 'PUT', body })
    await expect(panel).toContainText('Одобрен')
    await expect(panel).toContainText('Согласовано с банком')
    const hsm = async () =>
      (await account.call<{ items: { hsm: boolean }[] }>(`/api/maple/se/element?cplc=${cplc}`))
        .items[0]?.hsm
    await expect.poll(hsm).toBe(true)
    await panel.getByRole('link', { name: cplc.slice(24, 32) }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText(cplc.slice(24, 32))
  })
})
