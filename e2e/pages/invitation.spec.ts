import type { Answers } from '../support/answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { refuse } from '../support/answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const email = 'dana@example.com'
const name = 'Dana Reed'
const password = 'Larch2027!'
const link = `/login/invitation#${'a'.repeat(43)}`
const offer = {
  email,
  role: 'DEVELOPER',
  invitedBy: 'ada@grove.test',
  expiresAt: '2026-03-08T09:30:00.000000Z',
} as const

const visitor = testAs(null, (): Answers => ({ 'POST /api/user/checkInvitation': offer }))

visitor(
  'an invitation says who invites and with which role, and asks for a name and a password',
  async ({ page, calls }) => {
    await page.goto(link)
    await expect(page.getByText('ada@grove.test invites you.')).toBeVisible()
    await expect(page.getByText('As a developer, you publish mini-apps')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(email)
    const field = page.getByLabel('Your name')
    await expect(field).toBeFocused()
    expect(new URL(page.url()).hash).toBe('')
    await expectAccessible(page)
    await page.setViewportSize(phone)
    await expectNoOverflow(page)

    const join = page.getByRole('button', { name: 'Join' })
    await join.click()
    await expect(page.getByText('Enter your name.')).toBeVisible()
    await expect(page.getByText('The password must meet every rule.')).toBeVisible()

    calls.answer({
      'POST /api/user/acceptInvitation': ({ body }) => {
        expect(body).toMatchObject({ name, password, locale: 'en-US' })
        return { email }
      },
      // The account has been created, but signing in to it fails.
      'POST /api/token/password': refuse('too_many_attempts'),
    })
    await field.fill(` ${name} `)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await join.click()
    await expect(page.getByText('Your account is ready.')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(email)
  },
)

for (const [code, text, way, path] of [
  ['invitation_accepted', 'This invitation was used.', 'Sign in', '/login'],
  ['invitation_withdrawn', 'This invitation was withdrawn.', 'Go to the start page', '/'],
  ['invitation_ended', 'This invitation has ended.', 'Go to the start page', '/'],
  ['account_exists', 'You have an account with this address already.', 'Sign in', '/login'],
  ['invalid_email_token', 'This link is not valid', 'Go to the start page', '/'],
] as const)
  visitor(
    `a link that fails with ${code} says so, with a way to continue`,
    async ({ page, calls }) => {
      calls.answer({
        'POST /api/user/checkInvitation': refuse(code),
        'GET /api/catalogue/product': { items: [], next: null, previous: null },
      })
      await page.goto(link)
      await expect(page.getByText(text)).toBeVisible()
      await expect(page.getByLabel('Your name')).toHaveCount(0)
      await expectAccessible(page)
      await page.getByRole('link', { name: way, exact: true }).click()
      await expect(page).toHaveURL((url) => url.pathname === path)
    },
  )

visitor(
  'a link that expires while the form is being filled in says so too',
  async ({ page, calls }) => {
    calls.answer({ 'POST /api/user/acceptInvitation': refuse('invitation_withdrawn') })
    await page.goto(link)
    await page.getByLabel('Your name').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Join' }).click()
    await expect(page.getByText('This invitation was withdrawn.')).toBeVisible()
  },
)

visitor('after a reload, which loses the link, the page says where it is', async ({ page }) => {
  await page.goto(link)
  await expect(page.getByLabel('Your name')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Open the link in the email again.')).toBeVisible()
})

const admin = testAs(people.admin, (): Answers => ({
  ...homeAnswers(),
  'POST /api/user/checkInvitation': offer,
}))
admin('someone already signed in is told that joining replaces their session', async ({ page }) => {
  await page.goto(link)
  await expect(page.getByText('Somebody is signed in here.')).toBeVisible()
})
