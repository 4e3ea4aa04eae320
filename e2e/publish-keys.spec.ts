import { randomUUID } from 'node:crypto'
import { newDeveloper, testAs } from './support/account.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('a key is created, shown once and revoked', async ({ page, baseURL }) => {
  await page.goto('/dashboard/cedar/keys')
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Build server')
  await page.keyboard.press('Control+Enter')
  const shown = page.getByRole('dialog', { name: 'Publish key “Build server”' })
  await expect(shown).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  const key = await shown.getByText('grove_publish_').innerText()
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  const panel = page.getByRole('dialog', { name: 'Build server' })
  await expect(panel.getByText(`…${key.slice(-4)}`)).toBeVisible()
  await expect(page.getByText(key)).toHaveCount(0)

  const read = () =>
    fetch(`${baseURL}/api/developer/product/${randomUUID()}`, {
      headers: { authorization: `Bearer ${key}` },
    }).then(({ status }) => status)
  expect(await read()).toBe(404)

  await panel.getByRole('button', { name: 'Revoke…' }).click()
  await expect(question(page)).toContainText('can no longer publish')
  await answer(page, 'Revoke the key')
  await expect(page.getByText('No publish keys yet')).toBeVisible()
  expect(await read()).toBe(401)
})

test('keys fit a phone, in Russian @long', async ({ page, account }) => {
  const [provider] = await account.call<{ id: string }[]>('/api/provider')
  const name = 'Сервер сборки приложений для телефонов и планшетов'
  const body = { providerId: provider?.id, name }
  await account.call('/api/developer/publishKey', { method: 'POST', body })
  await page.setViewportSize(phone)
  await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
  await page.goto('/dashboard/cedar/keys')
  await expect(page.getByRole('heading', { name: 'Ключи публикации' })).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
  await page.getByText(name).click()
  await expect(page.getByRole('dialog', { name })).toBeVisible()
  await expectNoOverflow(page)
})
