import type { Profile } from '@grove/contract/auth/profile'
import { accountPage, detailsPage, storedToken } from '../support/account-pages.ts'
import { drop, refuse, type Answers } from '../support/answers.ts'
import { appAnswers } from '../support/app-answers.ts'
import { sessionOf, signToken } from '../support/console-server.ts'
import { notice } from '../support/my-apps-pages.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from '../support/page-checks.ts'
import { expect, frameOf, people, testAs } from '../support/page-test.ts'
import { infoOf, sessionIn } from '../support/sign-in-answers.ts'

const someone = people.developer
const test = testAs(someone, (): Answers => ({
  ...appAnswers([]),
  'GET /api/user/info': infoOf(someone),
}))

const moment = '2026-03-01T09:30:00.000000Z'
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'
/** Whose email has not been confirmed. */
const profile: Profile = {
  id: someone.id,
  email: someone.email,
  emailVerifiedAt: null,
  name: null,
  locale: 'en-US',
  roles: [...someone.roles],
  hasPassword: true,
  identities: [],
  createdAt: moment,
}

test('name and language are saved, stay after a reload, and switch the console', async ({
  page,
}) => {
  const own = accountPage(page)
  await own.open()
  await expect(own.save).toHaveAttribute('aria-disabled', 'true')
  await own.name.fill('Rowan Ясень')
  await own.language.selectOption('ru-RU')
  await own.save.click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Учётная запись')
  await expect(page.getByText('Сохранено', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Имя' })).toHaveValue('Rowan Ясень')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
  const back = page.getByRole('region', { name: 'Профиль' })
  await back.getByRole('combobox').selectOption('en-US')
  await back.getByRole('button', { name: 'Сохранить' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US')
})

test('the page shows nothing of one account when another tab signs in to a second', async ({
  page,
  calls,
  context,
}) => {
  const own = accountPage(page)
  await own.open()
  await own.name.fill('Not saved')
  calls.answer(frameOf(people.admin))
  const tab = await context.newPage()
  await tab.goto('/empty')
  await tab.evaluate((items) => {
    for (const { name, value } of items) localStorage.setItem(name, value)
    // The session comes before the item that points to it, as the client writes them.
  }, sessionOf(people.admin).toReversed())
  await expect(own.profile.getByText(people.admin.email)).toBeVisible()
  await expect(own.name).not.toHaveValue('Not saved')
})

test('leaving with an unsaved name asks first', async ({ page }) => {
  const own = accountPage(page)
  await own.open()
  await own.name.fill('Rowan')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'My apps' }).click()
  await answer(page, 'Stay')
  await expect(own.name).toHaveValue('Rowan')
})

test('the colour scheme follows the menu; there the account comes last, and only one page of it is marked', async ({
  page,
}) => {
  const own = accountPage(page)
  await own.open()
  await own.scheme('Dark').check()
  await expect(page.locator('html')).toHaveAttribute('data-scheme', 'dark')
  await page.getByRole('button', { name: /account and settings/ }).click()
  const scheme = page.getByRole('combobox', { name: 'Colour scheme' })
  await expect(scheme).toHaveValue('dark')
  await scheme.selectOption('light')
  await expect(own.scheme('Light')).toBeChecked()
  await page.keyboard.press('Escape')

  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await expect(menu.getByRole('link').last()).toHaveText('Details')
  await menu.getByRole('link', { name: 'Details' }).click()
  await expect(page).toHaveURL(/\/account\/details$/)
  await expect(menu.locator('[aria-current=page]')).toHaveText('Details')
  await expect(menu.getByRole('link', { name: 'People' })).toHaveCount(0)
})

test('all other sessions end together; one that another tab has ended is not a failure', async ({
  page,
  calls,
}) => {
  let others = [sessionIn(firefox)]
  const own = accountPage(page)
  calls.answer({
    'GET /api/user/session': () => ({ items: [sessionIn('Chrome', true), ...others] }),
    'DELETE /api/user/session/{id}': () => {
      others = []
      return refuse('not_found')()
    },
    'DELETE /api/user/session': () => {
      const ended = others.length
      others = []
      return { ended }
    },
  })
  await own.open()
  await own.session('Firefox on Windows').getByRole('button').click()
  await expect(question(page)).toBeVisible()
  await answer(page, 'End session')
  await expect(notice(page)).toContainText('The session has ended.')
  await expect(own.sessions).toHaveCount(1)
  await expect(own.endOthers).toHaveAttribute('aria-disabled', 'true')

  others = [sessionIn(firefox)]
  await page.reload()
  await own.endOthers.click()
  await answer(page, 'End sessions')
  await expect(notice(page)).toContainText('1 session has ended.')
  await expect(own.sessions).toHaveCount(1)
})

test('the mail that validates the address is sent on request, with a pause before the next one', async ({
  page,
  calls,
}) => {
  calls.answer({ 'GET /api/user/profile': profile, 'POST /api/send/validateEmail': null })
  const own = accountPage(page)
  await own.open()
  await expect(own.profile.getByText('Not validated')).toBeVisible()
  await own.mailLink.click()
  await expect(own.profile.getByText(`We sent an email to ${someone.email}`)).toBeVisible()
  expect(calls.asked('POST /api/send/validateEmail').map(({ body }) => body)).toEqual([
    { email: someone.email, provider: 'grove' },
  ])
  await expect(own.mailLink).toHaveAttribute('aria-disabled', 'true')
  await expect(own.mailLink).toContainText(/0:5\d|1:00/)
})

test('a refusal to send another mail says how long to wait', async ({ page, calls }) => {
  calls.answer({
    'GET /api/user/profile': profile,
    'POST /api/send/validateEmail': refuse('too_many_attempts', { retryAfter: 600 }),
  })
  const own = accountPage(page)
  await own.open()
  await own.mailLink.click()
  await expect(own.profile.getByRole('alert').first()).toContainText(/Try again in \d+ minutes?\./)
  await expect(own.mailLink).toHaveAttribute('aria-disabled', 'true')
})

test('a token that expires while the service is unavailable is shown as expired, and then renewed', async ({
  page,
  calls,
}) => {
  await page.clock.install()
  const details = detailsPage(page)
  await details.open()
  await expect(details.fact('is_valid')).toContainText('Yes')
  calls.answer({ 'POST /api/token/refresh': drop })
  calls.allowNoToken()
  await page.clock.fastForward('11:00')
  await expect(details.fact('is_valid')).toContainText('No, it has expired')
  await expect(details.fact('is_expired')).toHaveText('Yes')
  await expect(details.fact('roles')).toHaveText('Not known until it is verified')
  await expect(details.fact('exp').getByRole('timer')).toHaveText('expired')
  await details.refresh()
  await expect(notice(page)).toContainText('A new token could not be issued.')
  calls.answer(frameOf(someone))
  await page.clock.fastForward('02:00')
  await details.refresh()
  await expect(details.fact('is_valid')).toContainText('Yes')
})

test('a token is shown as not verified while its keys are unreachable', async ({ page, calls }) => {
  const details = detailsPage(page)
  await details.open()
  await expect(details.fact('is_valid')).toContainText('Yes')
  const token = (await storedToken(page)) ?? ''
  // A signature that none of our keys verifies.
  const [head, claims] = signToken(someone).split('.')
  const accessToken = [head, claims, token.split('.')[2]].join('.')
  calls.answer({
    'GET /api/user/info': drop,
    'POST /api/token/refresh': {
      token: { tokenType: 'Bearer', accessToken, refreshToken: 'next' },
    },
  })
  await details.refresh()
  await expect(details.fact('is_valid')).toContainText('No, it is not verified')
  await expect(details.fact('user_id')).toHaveText('Not known until it is verified')
})

test('the page says that the account is unavailable, and shows it once the service answers', async ({
  page,
  calls,
}) => {
  calls.answer({ 'GET /api/user/profile': drop })
  const own = accountPage(page)
  await own.open()
  await expect(page.getByRole('alert').getByText('The service cannot be reached.')).toBeVisible({
    timeout: 15_000,
  })
  calls.answer(frameOf(someone))
  // The menu requests the account too, and its retry may succeed before the button is pressed.
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 })
    await expect(own.name).toBeVisible({ timeout: 2_000 })
  }).toPass()
})

test('an authentication service that lists no methods is asked for nothing else', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  // Fewer fields than the contract requires, like a third-party service.
  await page.route('**/api/stage/auth', (route) =>
    route.fulfill({ json: { urls: { login: '', redirect: '', callback: '' }, realm: 'grove' } }),
  )
  const own = accountPage(page)
  await own.open()
  await expect(own.profile).toContainText('manages its own accounts')
  await expect(own.profile).toContainText('DEVELOPER')
  await expect(own.scheme('Dark')).toBeVisible()
  await expect(own.secret).toHaveCount(0)
  expect(asked.filter((path) => path.startsWith('/api/user/'))).toEqual([])
})

for (const path of ['/dashboard/cedar/account', '/dashboard/cedar/account/details'])
  test(`${path} passes the accessibility check, light and dark, and needs no sideways scrolling on a phone, in Russian`, async ({
    page,
    calls,
  }) => {
    await page.goto(path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expect(page.getByRole('heading', { level: 2 })).not.toHaveCount(0)
      await expect(page.getByLabel('Loading')).toHaveCount(0)
      await expectAccessible(page)
    }
    await page.setViewportSize(phone)
    calls.answer({ 'GET /api/user/profile': { ...profile, locale: 'ru-RU' } })
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('lang', 'ru-RU')
    await expect(page.getByRole('heading', { level: 2 })).not.toHaveCount(0)
    await expect(page.getByLabel('Загрузка')).toHaveCount(0)
    await expectNoOverflow(page)
  })
