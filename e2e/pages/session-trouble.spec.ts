import type { Page } from '@playwright/test'
import { answerElse, drop } from '../support/answers.ts'
import { signToken } from '../support/console-server.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { loginPage } from '../support/login-page.ts'
import { expect, frameOf, people, testAs } from '../support/page-test.ts'

// What people see when the sign-in service is silent, broken or misconfigured.

const admin = testAs(people.admin, () => homeAnswers())
const visitor = testAs(null, () => ({ ...frameOf(people.admin), ...homeAnswers() }))

const waiting = (page: Page) => page.getByText('Still waiting for the sign-in service.')
const unchecked = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'Your session could not be checked' })

admin(
  'a renewal without an answer is reported after five seconds, with Logout',
  async ({ page, calls }) => {
    const release = calls.hold('POST /api/token/refresh')
    const asked = page.waitForRequest('**/api/token/refresh')
    await page.clock.install()
    await page.clock.fastForward('11:00')
    await page.goto('/dashboard')
    await asked
    const notices = page.getByRole('region', { name: 'Notifications' })
    // The part that shows it loads once the page is idle.
    await expect(async () => {
      await page.clock.runFor(1000)
      await expect(waiting(page)).toBeVisible({ timeout: 100 })
    }).toPass()
    await notices.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/$/)
    await expect(waiting(page)).toHaveCount(0)
    release()
  },
)

admin(
  'the notice appears on an open page, and disappears with the answer',
  async ({ page, calls }) => {
    await page.clock.install()
    await page.goto('/dashboard')
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
    const release = calls.hold('POST /api/token/refresh')
    const asked = page.waitForRequest('**/api/token/refresh')
    await page.clock.fastForward('11:00')
    await asked
    await page.clock.runFor(4000)
    await expect(waiting(page)).toHaveCount(0)
    await page.clock.runFor(2000)
    await expect(waiting(page)).toBeVisible()
    release()
    await expect(waiting(page)).toHaveCount(0)
  },
)

for (const [what, answer, text] of [
  ['drops the connection', drop, 'The sign-in service is not responding.'],
  ['answers 503', answerElse(503), 'The sign-in service is not working: it answered 503.'],
  [
    'answers without a token',
    answerElse(200, '{}', { 'content-type': 'application/json' }),
    'The console cannot use what the sign-in service answers (The answer has no token).',
  ],
] as const)
  admin(`a service that ${what} is reported as such`, async ({ page, calls }) => {
    calls.answer({ 'POST /api/token/refresh': answer })
    await page.clock.install()
    await page.clock.fastForward('11:00')
    await page.goto('/dashboard')
    await expect(unchecked(page)).toContainText(text)
    await expect(unchecked(page).getByRole('button', { name: 'Copy details' })).toHaveCount(
      what.endsWith('token') ? 1 : 0,
    )
  })

visitor(
  'a token that can never be verified ends no session and starts no loop',
  async ({ page, calls }) => {
    const token = (header: object) => ({
      token: {
        tokenType: 'Bearer',
        accessToken: signToken(people.admin, { header }),
        refreshToken: 'next',
      },
    })
    calls.answer({ 'POST /api/token/password': token({ typ: 'logout+jwt' }) })
    const login = loginPage(page)
    await login.open('/dashboard')
    await login.fill('admin@grove.test')
    const problem = page.getByRole('alert').filter({ hasText: 'cannot accept its token' })
    await expect(problem).toContainText('A token of type logout+jwt is not an access token')
    await expect(problem.getByRole('button', { name: 'Copy details' })).toBeVisible()
    await expect(page).toHaveURL(/\/login\?from=/)
    await expect(login.email).toHaveValue('admin@grove.test')
    await expect(login.ended).toHaveCount(0)
    calls.answer({ 'POST /api/token/password': token({}) })
    await login.signIn.click()
    await expect(page).toHaveURL(/\/dashboard$/)
  },
)
