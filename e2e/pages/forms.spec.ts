import type { Locator, Page } from '@playwright/test'
import { accountPage } from '../support/account-pages.ts'
import { answerElse, drop, refuse } from '../support/answers.ts'
import { appAnswers, appOf, versionOf } from '../support/app-answers.ts'
import { devicePanel, devicesPage } from '../support/devices-page.ts'
import { deviceOf, fleetAnswers } from '../support/fleet-answers.ts'
import { appList, appPage, leaveByMenu, notice, versionPage } from '../support/my-apps-pages.ts'
import { answer, phone, question } from '../support/page-checks.ts'
import { expect, people, testAs, type Calls } from '../support/page-test.ts'
import { password } from '../support/test.ts'

const test = testAs(people.developer, () => appAnswers([]))
const adminTest = testAs(people.admin)

const problem = (page: Page) => page.locator('.form-problem')
const save = 'PUT /api/developer/productVersion/{id}'

/** The only app. */
function clock(calls: Calls) {
  const app = appOf({ 'en-US': 'Tide Clock' })
  calls.answer(appAnswers([app]))
  return app
}

/** The only device, in its initial state. */
function gate(calls: Calls) {
  const device = deviceOf('Gate')
  calls.answer(fleetAnswers([device]))
  return { ...device }
}

/** Entirely within the window, and not covered. */
async function expectInView(target: Locator) {
  await expect(target).toBeVisible()
  await expect
    .poll(() =>
      target.evaluate((element) => {
        const { top, bottom, left, right } = element.getBoundingClientRect()
        const isWithin = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
        const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return isWithin && element.contains(over)
      }),
    )
    .toBe(true)
}

for (const [name, size] of Object.entries({ desktop: { width: 1440, height: 900 }, phone }))
  test(`a refused save of a long form shows its problem beside the buttons, ${name}`, async ({
    page,
    calls,
  }) => {
    await page.setViewportSize(size)
    const product = appOf({ 'en-US': 'Tide Clock', 'ru-RU': 'Часы приливов' })
    const created = versionOf(product, '1.0.0')
    const answers = appAnswers([product], [created])
    calls.answer(answers)
    const version = versionPage(page)
    await version.open(created)
    const news = version.field('ru-RU', 'What’s new')
    await news.fill('Быстрее')
    const later = { 'retry-after': '30' }
    for (const refused of [
      ...[500, 503, 429].map((status) => answerElse(status, '', later)),
      drop,
    ]) {
      calls.answer({ [save]: refused })
      await version.save()
      await expectInView(problem(page))
      await expect(problem(page)).toBeFocused()
      await expect(news).toHaveValue('Быстрее')
    }
    calls.answer({ [save]: answers[save] })
    await version.save()
    await expect(version.isSaved).toBeVisible()
    await expectInView(version.isSaved)
    await expect(problem(page)).toHaveCount(0)
  })

test('a refused field takes the focus, and no banner repeats it', async ({ page, calls }) => {
  const app = appPage(page)
  await app.open(clock(calls), '/listing')
  await app.title('en-US').fill('')
  await app.save()
  await expect(app.title('en-US')).toBeFocused()
  await expect(page.getByText('Enter a title in at least one language.')).toBeVisible()
  await expect(problem(page)).toHaveCount(0)

  const path = 'translations.0.title'
  const error = { path, code: 'maxLength', message: 'at most 9', params: { limit: 9 } }
  calls.answer({
    'PUT /api/developer/product/{id}': refuse('invalid_request', { errors: [error] }),
  })
  await app.title('en-US').fill('Ten letters')
  await app.save()
  await expect(page.getByText('At most 9 characters.')).toBeVisible()
  await expect(app.title('en-US')).toBeFocused()
  await expect(problem(page)).toHaveCount(0)
  await app.title('en-US').fill('Shorter')
  await expect(page.getByText('At most 9 characters.')).toHaveCount(0)
})

test('Ctrl+S and Ctrl+Enter save, also on a Russian keyboard', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  const saved = own.profile.getByText('Saved', { exact: true })
  for (const [index, keys] of ['Control+KeyS', 'Control+Enter', 'Meta+KeyS'].entries()) {
    await own.name.fill(`Alder ${index}`)
    await expect(saved).toHaveCount(0)
    await own.name.press(keys)
    await expect(saved).toBeVisible()
  }
})

test('no draft contains passwords, and the reader’s own sign-out removes every draft', async ({
  page,
}) => {
  const own = accountPage(page)
  await own.open()
  await own.present.fill(password)
  await own.next.fill('Another2026!')
  await own.name.fill('Alder')
  await expect(own.profile.getByText('Unsaved changes')).toBeVisible()
  const stored = () => page.evaluate(() => JSON.stringify(sessionStorage))
  expect(await stored()).toContain('Alder')
  expect(await stored()).not.toContain('2026!')
  await page.getByRole('button', { name: 'Logout' }).click()
  await answer(page, 'Leave')
  await expect(page).toHaveURL(/\/$/)
  expect(await stored()).not.toContain('Alder')
})

test('leaving a form for good removes its draft', async ({ page, calls }) => {
  const app = appPage(page)
  await app.open(clock(calls), '/listing')
  await app.title('en-US').fill('Tide Watch')
  await leaveByMenu(page)
  await answer(page, 'Leave')
  await appList(page).link('Tide Clock').click()
  await app.tab('Listing').click()
  await expect(app.title('en-US')).toHaveValue('Tide Clock')
})

test('two clicks in one frame create one app', async ({ page, calls }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await list.titleIn('en-US').fill('Only once')
  await list.createButton.evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  await expect(appPage(page).heading).toHaveText('Only once')
  expect(calls.asked('POST /api/developer/product')).toHaveLength(1)
})

test('the focus returns to what opened a dialog, and Escape asks once', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await expect(list.titleIn('en-US')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(list.newApp).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(list.newApp).toBeFocused()

  await list.newApp.click()
  await list.titleIn('en-US').fill('Half')
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(list.titleIn('en-US')).toBeFocused()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(list.newApp).toBeFocused()
})

test('a click outside a dialog closes it like Escape', async ({ page }) => {
  const list = appList(page)
  await list.open()
  await list.newApp.click()
  await list.titleIn('en-US').fill('Half')
  await page.mouse.click(5, 5)
  await answer(page, 'Stay')
  await expect(list.titleIn('en-US')).toHaveValue('Half')
  // A text selection that ends outside is not a click outside.
  const box = await list.titleIn('en-US').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10)
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
  await expect(question(page)).toHaveCount(0)
})

adminTest('Escape in a changed form of the panel asks once', async ({ page, calls }) => {
  const device = gate(calls)
  const panel = devicePanel(page)
  await devicesPage(page).open({ device: device.id })
  await panel.edit()
  await expect(panel.name).toBeFocused()
  await panel.name.fill('Renamed')
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeVisible()
  await answer(page, 'Stay')
  await expect(panel.name).toBeFocused()
  await expect(panel.name).toHaveValue('Renamed')
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await expect(panel.panel).toHaveCount(0)
})

adminTest(
  'after Edit, Save and a confirmation the focus stays in the panel',
  async ({ page, calls }) => {
    const device = gate(calls)
    const panel = devicePanel(page)
    const edit = panel.panel.getByRole('button', { name: 'Edit' })
    await devicesPage(page).open({ device: device.id })
    await panel.edit()
    await expect(panel.name).toBeFocused()
    await panel.name.fill(`${device.name} gate`)
    await panel.save()
    await expect(edit).toBeFocused()
    await panel.retireButton.click()
    await answer(page, 'Cancel')
    await expect(panel.retireButton).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panel.panel).toHaveCount(0)
  },
)

adminTest(
  'a notification covers neither the buttons of a form nor those of the panel',
  async ({ page, calls }) => {
    for (const size of [{ width: 1440, height: 900 }, phone]) {
      await page.setViewportSize(size)
      const device = gate(calls)
      const panel = devicePanel(page)
      // The list shows other devices, as after a link: the panel's keys still work.
      await devicesPage(page).open({ device: device.id, q: 'Tide' })
      await panel.edit()
      await panel.name.fill(`${device.name} gate`)
      await panel.save()
      const card = notice(page).getByText('Saved.')
      // It stays while the pointer is over it.
      await card.hover()
      await expect(panel.panel.getByRole('button', { name: 'Edit' })).toBeVisible()
      await page.keyboard.press('e')
      await expectInView(panel.panel.getByRole('button', { name: 'Save' }))
      await expectInView(panel.panel.getByRole('button', { name: 'Close the panel' }))
      await notice(page).getByRole('button', { name: 'Dismiss' }).first().click()
      await expect(card).toHaveCount(0)
    }
  },
)
