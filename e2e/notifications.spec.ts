import { keepSignedIn, newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { createApp } from './support/catalogue.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { test as sending } from './support/sending-platform.ts'
import { expect, sample } from './support/test.ts'

const path = '/dashboard/cedar/notifications'

/** An app of the developer with this many devices; the first is a test device. */
async function appWithDevices(account: Account, count: number) {
  const { productId } = await createApp(account, { 'en-US': `Tides ${count}` })
  for (let n = 0; n < count; n += 1) {
    const { id } = await account.call<{ id: string }>('/api/notification/device', {
      method: 'POST',
      body: {
        productId,
        token: `token-${productId}-${n}`,
        platform: n % 2 === 0 ? 'android' : 'ios',
        localeCode: n === 0 ? 'ru-RU' : 'en-US',
        appVersion: '1.2.0',
      },
    })
    if (n === 0)
      await account.call(`/api/notification/device/${id}`, {
        method: 'PUT',
        body: { isTest: true, name: 'My phone' },
      })
  }
  return productId
}

sending(
  'a developer tries a notification, sends it, sees what devices report, schedules one and cancels it @long',
  async ({ page, baseURL, fcm }) => {
    const account = await signedIn(baseURL ?? '', sample.developer)
    await keepSignedIn(page.context(), account, baseURL ?? '')
    const productId = await appWithDevices(account, 3)
    await page.goto(`${path}?create=true`)
    const form = page.getByRole('dialog', { name: 'New notification' })
    await form.getByRole('button', { name: /^App:/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('tides 3')
    await page.getByRole('option', { name: 'Tides 3' }).first().click()
    await expect(form.getByRole('button', { name: 'App: Tides 3' })).toBeVisible()
    const english = form.getByRole('group', { name: 'English' }).first()
    await english.getByLabel('Title').fill('New tides')
    await page.keyboard.press('Control+Enter')
    await expect(form.getByText('Enter a text.')).toBeVisible()
    await english.getByLabel('Text').fill('Two clocks more')
    await expect(form.getByText('Currently reaches 3 devices.')).toBeVisible()
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText('iOS')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Send a test' }).click()
    await expect(form.getByText('My phone: sent')).toBeVisible()

    // The typed text cannot be lost by mistake.
    await page.keyboard.press('Escape')
    await answer(page, 'Stay')
    await english.getByLabel('Title').press('Control+Enter')
    await expect(question(page)).toContainText('Send to 3 devices?')
    await answer(page, 'Send')
    const panel = page.getByRole('dialog', { name: 'New tides' })
    const received = () => fcm.received.filter(({ data }) => data['productId'] === productId)
    // The test, and one for each device.
    await expect.poll(() => received().length).toBe(4)
    await expect(panel.getByText('Sent', { exact: true })).toHaveCount(2)
    for (const { data } of received().slice(-3))
      await account.call('/api/notification/receipt', {
        method: 'POST',
        body: { receipt: data['receipt'], event: 'opened' },
      })
    await page.reload()
    for (const name of ['Delivered', 'Opened'])
      await expect(
        panel.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) }),
      ).toContainText('3')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('row', { name: 'New tides' })).toContainText('3')
    await expect(page.getByRole('region', { name: 'Messages per day' })).toBeVisible()
    await expectAccessible(page)

    await account.call('/api/notification', {
      method: 'POST',
      body: {
        productId,
        translations: [{ localeCode: 'en-US', title: 'Tomorrow', body: 'High water' }],
        sendAt: new Date(Date.now() + 86_400_000).toISOString(),
      },
    })
    await page.reload()
    await page.getByRole('link', { name: 'Tomorrow' }).click()
    const later = page.getByRole('dialog', { name: 'Tomorrow' })
    await later.getByRole('button', { name: 'Cancel…' }).click()
    await answer(page, 'Cancel the notification')
    await expect(later.getByText('Cancelled', { exact: true })).toBeVisible()
    await expect(later.getByRole('button', { name: 'Cancel…' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
  },
)

testAs(newDeveloper)(
  'without a transport the page says so, and nothing claims to be sent',
  async ({ page, account }) => {
    await page.setViewportSize(phone)
    await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
    await page.goto(path)
    await expect(page.getByText('Отправка на этой платформе не настроена')).toBeVisible()
    await expect(page.getByText('Уведомлений пока нет')).toBeVisible()
    await expectNoOverflow(page)
    await expectAccessible(page)
    const productId = await appWithDevices(account, 1)
    await account.call('/api/notification', {
      method: 'POST',
      body: {
        productId,
        translations: [{ localeCode: 'ru-RU', title: 'Приливы', body: 'Новые часы' }],
      },
    })
    await page.reload()
    await expect(page.getByRole('row', { name: 'Приливы' })).toContainText('Не отправлено')
    await expectNoOverflow(page)
    await page.getByRole('link', { name: 'Приливы' }).click()
    await expect(page.getByText('На этой платформе не настроена отправка.')).toBeVisible()
    await page.goto(`${path}?create=true`)
    await expect(page.getByRole('dialog', { name: 'Новое уведомление' })).toBeVisible()
    await expectNoOverflow(page)
    await expectAccessible(page)
  },
)
