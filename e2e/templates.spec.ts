import { randomUUID } from 'node:crypto'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs, type Account } from './support/account.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const newCard = (account: Account) =>
  account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `card ${randomUUID().slice(0, 8)}` },
  })
const serialOf = (cplc: string) => cplc.slice(24, 32)

test('a developer creates a template in Russian on a phone, tries it, corrects it and runs it on a set', async ({
  page,
  account,
}) => {
  const cards = [await newCard(account), await newCard(account)]
  const name = `Осмотр ${randomUUID().slice(0, 8)}`
  await inRussian(page)
  await page.setViewportSize(phone)

  await page.goto('/dashboard/maple/templates?create=true')
  await page.getByLabel('Начать с').selectOption({ label: 'Осмотреть карту' })
  await page.getByLabel('Название', { exact: true }).fill(name)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Создать', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)

  // A SELECT of an applet that no card has, moved to the first place with the keyboard.
  const steps = page.getByRole('region', { name: 'Шаги', exact: true })
  await steps.getByLabel('Вид нового шага').selectOption('MplSelect')
  await steps.getByRole('button', { name: 'Добавить шаг' }).click()
  await steps.getByLabel(/^AID/).fill('A000000999')
  await expect(steps.getByRole('region', { name: 'Байты для отправки' })).toContainText('A0')
  const added = steps.getByRole('button', { expanded: true })
  await added.press('Alt+ArrowUp')
  await expect(added).toContainText('5.')
  await expectAccessible(page)
  await expectNoOverflow(page)

  const dryRun = page.getByRole('region', { name: 'Пробный запуск' })
  await dryRun.getByRole('button', { name: 'Попробовать шаги' }).click()
  await expect(dryRun).toContainText('6A82')
  await expect(dryRun).toContainText('Шаг 5 не удался.')
  await expectAccessible(page)
  await steps.getByLabel('Ожидаемые слова состояния').fill('6A82')
  // The failed SELECT drops the earlier selection, and the secure channel with it.
  await added.press('Alt+ArrowDown')
  await dryRun.getByRole('button', { name: 'Попробовать шаги' }).click()
  await expect(dryRun).toContainText('Все шаги выполнены.')
  await page.getByRole('button', { name: 'Сохранить черновик' }).click()
  await page.getByRole('button', { name: 'Опубликовать…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Опубликовать' }).click()
  await expect(page.getByRole('region', { name: 'Версии' })).toContainText('Версия 1')

  await page.getByRole('button', { name: 'Запустить…' }).click()
  const dialog = page.getByRole('dialog')
  for (const { id: cplc } of cards) {
    await dialog.getByRole('button', { name: /^Добавить элемент:/ }).click()
    await page.getByRole('combobox', { name: 'Поиск' }).fill(serialOf(cplc))
    await page.getByRole('option', { name: serialOf(cplc) }).click()
  }
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Запустить', exact: true }).click()
  const elements = page.getByRole('list', { name: 'Элементы запуска' })
  for (const { id: cplc } of cards)
    await expect(elements.getByRole('listitem').filter({ hasText: serialOf(cplc) })).toContainText(
      'Успешно',
    )
  await expectNoOverflow(page)
  await elements.getByRole('link', { name: 'Сеанс' }).first().click()
  await expect(page.getByRole('listbox', { name: 'Обмены' })).toBeVisible()
})
