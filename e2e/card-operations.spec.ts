import type { Approval } from '@grove/contract/maple/access/approval'
import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import type { StoredCardReading } from '@grove/contract/maple/card/element-card'
import { randomBytes, randomUUID } from 'node:crypto'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { serialOf } from './support/fleet.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  inRussian,
  phone,
} from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

/** A software card that was read once. */
async function readCard({ call }: Account): Promise<string> {
  const { id: cplc } = await call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `Domains ${randomUUID().slice(0, 8)}` },
  })
  await call('/api/maple/se/card/read', { method: 'POST', body: { cplc } })
  return cplc
}

const newAid = () => `A000000${randomBytes(5).toString('hex').toUpperCase()}0`
const issuerAid = 'A000000151000000'
const domain = (aid: string, more: Partial<SecurityDomain> = {}): SecurityDomain => ({
  aid,
  parent: issuerAid,
  state: 'selectable',
  privileges: ['securityDomain'],
  ...more,
})

test('an admin adds domains to a card, sees a refusal in words, and has the card terminated by two people @long', async ({
  page,
  account,
  baseURL,
}) => {
  const cplc = await readCard(account)
  const [aid, child] = [newAid(), newAid()]
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const card = page.getByRole('region', { name: 'The card', exact: true })
  await expect(card).toContainText('OP_READY')
  await expect(card.getByRole('button', { name: 'Read again' })).toBeVisible()

  const dialog = page.getByRole('dialog', { name: 'Change the security domains' })
  const plan = async (domains: SecurityDomain[]) => {
    await page.getByRole('button', { name: 'Change the domains…' }).click()
    await dialog.getByRole('tab', { name: 'JSON' }).click()
    await dialog.getByRole('textbox', { name: 'Domains' }).fill(JSON.stringify(domains))
    await expect(dialog.getByRole('radio', { name: 'Merge: they stay' })).toBeChecked()
    await dialog.getByRole('button', { name: 'Show the plan' }).click()
  }
  // The field shows what could not be parsed, and closing asks before the text is lost.
  await page.getByRole('button', { name: 'Change the domains…' }).click()
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  const list = dialog.getByRole('textbox', { name: 'Domains' })
  await list.fill('[{')
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog).toContainText('This is not a JSON list.')
  await expect(list).toBeFocused()
  await page.keyboard.press('Escape')
  await answer(page, 'Stay')
  await expect(list).toHaveValue('[{')
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await plan([domain(aid), domain(child, { parent: aid })])
  const commands = dialog.getByRole('list', { name: 'Commands to the card' })
  await expect(commands.locator(':scope > li')).toHaveText([
    new RegExp(`Install the security domain ${aid}`),
    new RegExp(`Install the security domain ${child}`),
    new RegExp(`Move ${child} into ${aid}`),
  ])
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('button', { name: 'Apply to the card' }).click()
  const operation = card.getByRole('region', { name: 'Security domains of the card' }).first()
  await expect(operation).toContainText('Succeeded')
  await expect(operation).toContainText('3 of 3 steps done')
  await expect(page.getByRole('list', { name: 'Tree of security domains' })).toContainText(child)
  await expectAccessible(page)

  await plan([domain(newAid(), { privileges: ['cvmManagement', 'securityDomain'] })])
  await dialog.getByRole('button', { name: 'Apply to the card' }).click()
  await expect(operation).toContainText('Stopped')
  await expect(operation).toContainText(
    'The card answered 6A80. The card does not grant one of these privileges.',
  )

  await card.getByRole('button', { name: 'Terminate…' }).click()
  await page.getByRole('textbox', { name: 'To confirm, type' }).fill(serialOf(cplc))
  await expectAccessible(page, '[role=alertdialog]')
  await answer(page, 'Request approval')
  await expect(card).toContainText('The termination of this card was requested.')
  const other = await newDeveloper(baseURL ?? '')
  const { user_id: userId } = await other.call<{ user_id: string }>('/api/user/info')
  await account.call('/api/maple/account', {
    method: 'POST',
    body: { id: userId, roles: ['security_officer'] },
  })
  const { items } = await other.call<{ items: Approval[] }>(`/api/maple/approvals?cplc=${cplc}`)
  await other.call(`/api/maple/approvals?id=${items[0]?.id}`, {
    method: 'PUT',
    body: { isApproved: true },
  })
  const state = async () =>
    (await account.call<{ items: { state: string }[] }>(`/api/maple/se/element?cplc=${cplc}`))
      .items[0]?.state
  await expect.poll(state).toBe('terminated')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('TERMINATED')
  await expect(card.getByRole('region', { name: 'Termination of the card' })).toContainText('Done')
  await expect(card.getByRole('button', { name: 'Read again' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expectAccessible(page)
})

test.describe('on a phone, dark, in Russian', () => {
  test.use({ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' })

  test('an admin deletes a domain from a card', async ({ page, account }) => {
    await inRussian(page)
    const cplc = await readCard(account)
    const reading = async () =>
      (
        await account.call<{ reading: StoredCardReading | null }>(
          `/api/maple/se/card/reading?cplc=${cplc}`,
        )
      ).reading?.domains.items ?? []
    const aid = newAid()
    const path = '/api/maple/se/card/domains'
    const body = { cplc, domains: [domain(aid)] }
    const { digest } = await account.call<{ digest: string }>(`${path}?dryRun=true`, {
      method: 'POST',
      body,
    })
    await account.call(path, { method: 'POST', body: { ...body, digest } })
    await expect.poll(async () => (await reading()).length).toBe(2)

    await page.goto(`/dashboard/maple/secure_elements/${cplc}#card`)
    const card = page.getByRole('region', { name: 'Карта', exact: true })
    await expect(card.getByRole('button', { name: 'Прочитать снова' })).toBeVisible()
    await expect(
      page.getByRole('region', { name: 'Домены безопасности', exact: true }),
    ).toContainText('авторизованное управление, может заблокировать карту')
    await expectNoOverflow(page)
    await page.getByRole('button', { name: 'Изменить домены…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: `Удалить: ${aid}` }).click()
    await expect(dialog.getByRole('radio', { name: 'Заменить: они удаляются' })).toBeChecked()
    await expect(dialog).toContainText(`Удалится 1: ${aid}`)
    await dialog.getByRole('button', { name: 'Показать план' }).click()
    await expect(dialog).toContainText(`Удалить ${aid}`)
    await expectNoOverflow(page)
    await expectAccessible(page, 'dialog')
    await dialog.getByRole('button', { name: 'Применить к карте' }).click()
    await expect(card).toContainText('выполнено шагов: 1 из 1')
    await expect.poll(async () => (await reading()).length).toBe(1)
    await expectNoOverflow(page)
    await expectAccessible(page)
  })
})

test('an element is read again when an operation ends, also while the next one runs', async ({
  page,
  account,
}) => {
  const cplc = await readCard(account)
  const operation = (state: CardOperation['state']): CardOperation => ({
    id: randomUUID(),
    cplc,
    kind: 'domains',
    state,
    isCancelled: false,
    steps: [],
    problem: null,
    sessionId: null,
    createdBy: null,
    createdAt: new Date().toISOString(),
    finishedAt: null,
    rights: { cancel: null },
  })
  const [first, next] = [operation('running'), operation('running')]
  let items = [first]
  await page.route('**/api/maple/se/card/operation?*', (route) =>
    route.fulfill({ json: { items } }),
  )
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const card = page.getByRole('region', { name: 'The card', exact: true })
  await expect(card.getByRole('progressbar')).toHaveCount(1)
  const readAgain = page.waitForRequest(/\/api\/maple\/se\/element\?cplc=/)
  items = [next, { ...first, state: 'stopped' }]
  await readAgain
})
