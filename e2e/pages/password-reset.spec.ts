import { loginPage } from '../support/login-page.ts'
import { refuse, type Answers } from '../support/answers.ts'
import { appAnswers } from '../support/app-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'
import { signInAnswers } from '../support/sign-in-answers.ts'

const someone = people.developer
const newPassword = 'Larch2027!'

const answers = (): Answers => ({
  ...signInAnswers(someone),
  ...homeAnswers(),
  ...appAnswers([]),
  // The link is valid as far as the page can tell.
  'POST /api/user/checkEmailToken': null,
})
const visitor = testAs(null, answers)

visitor(
  'a page whose code fails to load says so in its frame, and keeps the link',
  async ({ page }) => {
    await page.route('**/assets/sign-in-*.js', (route) => route.abort('connectionrefused'))
    await page.goto('/login/reset#token')
    const main = page.getByRole('main')
    await expect(main.getByText('The service cannot be reached.')).toBeVisible()
    await page.unroute('**/assets/sign-in-*.js')
    await main.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByLabel('New password', { exact: true })).toBeVisible()
  },
)

visitor(
  'a link opened in the tab of an older one replaces it; a reload loses it',
  async ({ page }) => {
    await page.goto('/login/reset#first')
    const field = page.getByLabel('New password', { exact: true })
    await field.fill('abc')
    await page.goto('/login/reset#second')
    await expect(field).toHaveValue('')
    expect(new URL(page.url()).hash).toBe('')
    await page.reload()
    await expect(page.getByText('Open the link in the email again')).toBeVisible()
  },
)

const developer = testAs(someone, answers)

developer('a new password ends the session of this browser too', async ({ page, calls }) => {
  calls.answer({
    'POST /api/user/resetPassword': { email: someone.email },
    'POST /api/token/refresh': refuse('invalid_refresh_token'),
  })
  await page.goto('/login/reset#token')
  await page.getByLabel('New password', { exact: true }).fill(newPassword)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Your password is changed')).toBeVisible()
  expect(calls.asked('POST /api/user/resetPassword').map(({ body }) => body)).toEqual([
    { token: 'token', password: newPassword, provider: 'grove' },
  ])
  calls.answer(signInAnswers(someone))
  await expect(loginPage(page).email).toHaveValue(someone.email)
  await loginPage(page).fill(someone.email)
  await page.waitForURL(/^[^?]+\/dashboard/)
})

developer(
  'someone signed in to another account sees that the password is changed',
  async ({ page, calls }) => {
    calls.answer({ 'POST /api/user/resetPassword': { email: 'other@grove.test' } })
    await page.goto('/login/reset#token')
    await page.getByLabel('New password', { exact: true }).fill(newPassword)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.waitForURL(/^[^?]+\/dashboard/)
    await expect(page.getByText('The password of other@grove.test is changed.')).toBeVisible()
  },
)

visitor(
  'sign-up refuses a password that is easy to guess, beside the field',
  async ({ page, calls }) => {
    calls.answer({
      'POST /api/signup': refuse('invalid_request', {
        errors: [{ path: 'password', code: 'password_common', message: 'is too easy to guess' }],
      }),
    })
    await page.goto('/signup')
    const login = loginPage(page)
    await login.email.fill(someone.email)
    await login.secret.fill('Passw0rd!')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await expect(page.getByText('This password is too easy to guess.')).toBeVisible()
    await expect(login.secret).toBeFocused()
  },
)

visitor.describe('in Russian on a phone', () => {
  visitor.use({ locale: 'ru-RU', viewport: phone })
  visitor('the pages of mailed links pass the accessibility check', async ({ page }) => {
    for (const [path, heading] of [
      ['/login/forgotten', 'Восстановление пароля'],
      ['/login/reset', 'Новый пароль'],
      ['/login/reset#token', 'Новый пароль'],
      ['/login/email', 'Подтверждение адреса'],
      ['/login/email#token', 'Подтверждение адреса'],
    ] as const) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
      const confirm = page.getByRole('button', {
        name: /^(Сменить пароль|Подтвердить этот адрес)$/,
      })
      await expect(confirm).toHaveCount(path.endsWith('#token') ? 1 : 0)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expectNoOverflow(page)
        await expectAccessible(page)
      }
    }
  })
})
