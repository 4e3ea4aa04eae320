import { randomUUID } from 'node:crypto'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { NewApiKey } from '@grove/contract/cedar/api-key'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { stageRights } from '../packages/contract/src/maple/access/right.rules.ts'
import { keepSignedIn, newDeveloper, signedIn, type Account } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample, test } from './support/test.ts'

test.use({ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' })

/** An organisation owned by this developer, without a key. */
async function organisationOf(admin: Account, owner: Account): Promise<AdminProvider> {
  const { user_id: ownerId } = await owner.call<{ user_id: string }>('/api/user/info')
  const name = `Works ${randomUUID().slice(0, 8)}`
  return admin.call('/api/cedar/provider', { method: 'POST', body: { name, ownerId } })
}

/** The stage of another developer, with a card in it. */
async function foreignCard(admin: Account, url: string): Promise<SoftwareCard> {
  const other = await newDeveloper(url)
  const { id } = await organisationOf(admin, other)
  const { key } = await other.call<NewApiKey>(`/api/provider/${id}/key`, {
    method: 'POST',
    body: { name: 'Bench', scopes: stageRights, expiresInDays: 30 },
  })
  const made = await fetch(`${url}/api/maple/software_cards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Foreign ${randomUUID().slice(0, 8)}` }),
  })
  expect(made.status).toBe(201)
  return (await made.json()) as SoftwareCard
}

test('a newcomer creates a key and a card, installs an applet, breaks the card and reads why', async ({
  page,
  baseURL,
}) => {
  test.setTimeout(180_000)
  const url = baseURL ?? ''
  const [admin, developer] = [await signedIn(url, sample.admin), await newDeveloper(url)]
  const foreign = await foreignCard(admin, url)
  await organisationOf(admin, developer)
  const profile = { name: 'Новичок', locale: 'ru-RU' }
  await developer.call('/api/user/profile', { method: 'PUT', body: profile })
  await keepSignedIn(page.context(), developer, url)
  const sound = async () => {
    await expectNoOverflow(page)
    await expectAccessible(page)
  }

  // Without a key the page leads to where one is created.
  await page.goto('/dashboard/maple/software_cards')
  await expect(page.getByRole('heading', { name: 'Нужен рабочий контур' })).toBeVisible()
  await sound()
  await page.getByRole('link', { name: 'Перейти к ключам API' }).click()
  await page.getByRole('button', { name: 'Новый ключ' }).click()
  await page.getByRole('textbox', { name: 'Название' }).fill('Стенд')
  await page.getByRole('button', { name: 'Все', exact: true }).click()
  await page.getByRole('button', { name: 'Создать', exact: true }).click()
  const secret = page.getByRole('dialog')
  await expect(secret).toContainText('grove_api_')
  await secret.getByRole('button', { name: 'Скопировано' }).click()
  await sound()

  await page.getByRole('link', { name: 'создайте программную карту' }).click()
  await expect(page.getByRole('button', { name: /^Выберите рабочий контур: Works/ })).toBeVisible()
  const cardName = `Проба ${randomUUID().slice(0, 8)}`
  await page.getByRole('textbox', { name: 'Название' }).fill(cardName)
  await page.getByRole('button', { name: 'Создать', exact: true }).click()
  const panel = page.locator('[data-panel]')
  await expect(panel.getByRole('heading', { name: cardName })).toBeVisible()
  const cards = page.url()
  await sound()
  // Other people's objects are not listed.
  await page.goto('/dashboard/maple/software_cards')
  await expect(page.getByRole('main')).toContainText(cardName)
  await expect(page.getByRole('main')).not.toContainText(foreign.name)
  await page.goto(`/dashboard/maple/software_cards?card=${foreign.id}`)
  await expect(panel).toContainText('Программной карты с таким CPLC нет.')

  // A URL of someone else's stage opens the person's own, and says so.
  await page.goto('/dashboard/maple/software_cards?stage=abcdef0')
  await expect(page.getByRole('region', { name: 'Уведомления' })).toContainText(
    /^Рабочего контура из этого адреса нет, или он вам недоступен\. Показан ваш: Works/,
  )

  await page.goto(cards)
  await panel.getByRole('link', { name: 'Установить апплет' }).click()
  await page.getByRole('button', { name: 'Новый апплет' }).first().click()
  await panel.getByRole('button', { name: 'Попробовать с образцом' }).click()
  await expect(panel).toContainText('example.ndef.NdefApplet')
  await sound()
  await panel.getByRole('button', { name: 'Загрузить', exact: true }).click()
  await panel.getByRole('link', { name: 'Открыть', exact: true }).click()
  await page.getByRole('button', { name: /^Добавить элемент:/ }).click()
  await page.getByRole('option', { name: cardName }).click()
  const start = page.getByRole('button', { name: 'Установить', exact: true })
  await start.click()
  const targets = page.getByRole('list', { name: 'Элементы операции' })
  await expect(targets).toContainText('Успешно')
  await sound()
  const applet = page.url()
  await targets.getByRole('link', { name: 'Сеанс' }).click()
  await expect(
    page.getByRole('listbox', { name: 'Обмены' }).getByRole('option', { name: 'INSTALL' }).first(),
  ).toBeVisible()
  await sound()

  await page.goto(cards)
  await panel.getByRole('button', { name: 'Сломать…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Сломать карту намеренно' })
  await dialog.getByRole('combobox', { name: 'Неисправность' }).selectOption('Другие ключи')
  await dialog.getByRole('button', { name: 'Сломать карту' }).click()
  await expect(dialog).toBeHidden()
  await page.goto(applet)
  await page.getByRole('button', { name: /^Добавить элемент:/ }).click()
  await page.getByRole('option', { name: cardName }).click()
  await start.click()
  await expect(targets).toContainText(
    'Ключи не подошли к карте. Элемент заблокирован, новых попыток не будет.',
  )
  // And how to recover: the card is repaired and its element retried.
  await page.goto(cards)
  await panel.getByRole('button', { name: 'Починить…' }).click()
  await answer(page, 'Починить карту')
  await page.goto(applet)
  await targets.getByRole('link').first().click()
  await page.getByRole('button', { name: 'Снять блокировку…' }).click()
  await sound()
  await answer(page, 'Снять блокировку')
  await page.getByRole('button', { name: 'Прочитать карту' }).click()
  await expect(page.getByRole('main')).toContainText('D2760000850101')
})
