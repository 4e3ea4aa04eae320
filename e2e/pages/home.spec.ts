import { answerElse } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const busy = () => homeAnswers({ quarantined: 20, failedJobs: 2, refused: 'Tide Clock' })
const admin = testAs(people.admin, busy)
const newcomer = testAs(people.developer, () => ({ ...homeAnswers(), ...appAnswers([]) }))
const beginner = testAs(people.developer, () => ({
  ...homeAnswers(),
  ...appAnswers([appOf({ 'en-US': 'Habit Garden' })]),
}))

admin('the first page says what needs attention and leads there', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  const needs = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
  await expect(needs).toHaveText([
    /^The package of Tide Clock 1\.2\.0 was refused/,
    '20 devices wait to be accepted',
    '2 jobs failed',
  ])
  const linkOf = (at: number) => needs.nth(at).getByRole('link')
  await expect(linkOf(0)).toHaveAttribute('href', /\/dashboard\/cedar\/mobile\/[\w-]+\/[\w-]+$/)
  await expect(linkOf(1)).toHaveAttribute('href', /^\/dashboard\/maple\/devices\?.*quarantined/)
  await expect(linkOf(2)).toHaveAttribute('href', /^\/dashboard\/system\/jobs\?.*failed/)
})

admin('the first page has no fault that can be found by machine', async ({ page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto('/dashboard')
    await expect(page.getByText('20 devices wait')).toBeVisible()
    await expectAccessible(page)
  }
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

admin('what one service does not answer hides nothing of the other', async ({ page, calls }) => {
  calls.answer({ 'GET /api/developer/failure': answerElse(502) })
  await page.goto('/dashboard')
  await expect(page.getByRole('link', { name: '20 devices wait to be accepted' })).toBeVisible()
  await expect(page.getByText('Nothing needs you right now.')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

newcomer('somebody new finds the first step on the first page', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page.getByText('Nothing needs you right now.')).toBeVisible()
  const steps = page.getByRole('region', { name: 'Your first release' })
  await steps.getByRole('link', { name: 'Create an app' }).click()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile\?create=true/)
})

beginner('the step after the first app is to make a version of it', async ({ page }) => {
  await page.goto('/dashboard')
  const steps = page.getByRole('region', { name: 'Your first release' })
  await expect(steps.getByRole('link')).toHaveText('Create a version')
})
