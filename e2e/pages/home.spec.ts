import { randomUUID } from 'node:crypto'
import { answerElse } from '../support/answers.ts'
import { appAnswers, appOf } from '../support/app-answers.ts'
import { homeAnswers } from '../support/home-answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const cplc = '479038CC470047010D7D00780044B96F4810000000000000000000000000000000000000000000000000'
const busy = () =>
  homeAnswers({ quarantined: 20, failedJobs: 2, refused: 'Tide Clock', blocked: cplc })
const admin = testAs(people.admin, busy)
const newcomer = testAs(people.developer, () => ({ ...homeAnswers(), ...appAnswers([]) }))
const beginner = testAs(people.developer, () => ({
  ...homeAnswers(),
  ...appAnswers([appOf({ 'en-US': 'Habit Garden' })]),
}))

admin('the first page says what needs attention and links to it', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Home')
  const needs = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
  await expect(needs).toHaveText([
    /^The package of Tide Clock 1\.2\.0 was refused/,
    '20 devices wait to be accepted',
    /^The secure element \w+ is blocked: its keys did not fit$/,
    '2 jobs failed',
  ])
  const linkOf = (at: number) => needs.nth(at).getByRole('link')
  await expect(linkOf(0)).toHaveAttribute('href', /\/dashboard\/cedar\/mobile\/[\w-]+\/[\w-]+$/)
  await expect(linkOf(1)).toHaveAttribute('href', /^\/dashboard\/maple\/devices\?.*quarantined/)
  await expect(linkOf(2)).toHaveAttribute('href', `/dashboard/maple/secure_elements/${cplc}`)
  await expect(linkOf(3)).toHaveAttribute('href', /^\/dashboard\/system\/jobs\?.*failed/)
})

admin('the first page passes the accessibility check', async ({ page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto('/dashboard')
    await expect(page.getByText('20 devices wait')).toBeVisible()
    await expectAccessible(page)
  }
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

admin('a failure of one service does not hide the data of the other', async ({ page, calls }) => {
  calls.answer({ 'GET /api/developer/failure': answerElse(502) })
  await page.goto('/dashboard')
  await expect(page.getByRole('link', { name: '20 devices wait to be accepted' })).toBeVisible()
  await expect(page.getByText('Nothing needs you right now.')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

newcomer('a new person finds the first step on the first page', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page.getByText('Nothing needs you right now.')).toBeVisible()
  const steps = page.getByRole('region', { name: 'Your first release' })
  await steps.getByRole('link', { name: 'Create an app' }).click()
  await expect(page).toHaveURL(/\/dashboard\/cedar\/mobile\?create=true/)
})

beginner('the step after the first app is to create a version of it', async ({ page }) => {
  await page.goto('/dashboard')
  const steps = page.getByRole('region', { name: 'Your first release' })
  await expect(steps.getByRole('link')).toHaveText('Create a version')
})

newcomer('a new person finds the way to devices, and may hide it', async ({ page }) => {
  await page.goto('/dashboard')
  const steps = page.getByRole('region', { name: 'Your first device' })
  await expect(steps.getByRole('link')).toHaveText('Get a working stage')
  await expect(steps.getByRole('link')).toHaveAttribute('href', '/dashboard/maple/keys')
  await steps.getByRole('button', { name: 'Hide' }).click()
  await expect(steps).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('region', { name: 'Your first release' })).toBeVisible()
  await expect(steps).toHaveCount(0)
})

/** Someone with a working stage, and this many products and devices. */
const staged = (products: number, devices: number) =>
  testAs(people.developer, () => ({
    ...homeAnswers({ quarantined: devices }),
    ...appAnswers([]),
    'GET /api/provider': [
      {
        id: stageId,
        ownerId: people.developer.id,
        isDefault: false,
        enabled: true,
        stage: 'PROD',
        miniAppLinkId: null,
        translations: [{ localeCode: 'en-US', name: 'Harbour Pumps' }],
        iconUrl: null,
        mobyApiKey: '••••9f3a',
        mobyApiUrl: null,
        mobyRoles: { owner: [], member: [] },
        miniAppRights: [],
      },
    ],
    'GET /api/maple/products': {
      items: Array.from({ length: products }, () => ({
        id: productId,
        serviceId: null,
        name: 'Pump',
        model: null,
        revisions: [],
        state: 'development' as const,
        profileId: null,
        imageId: null,
        handlerId: null,
        createdBy: null,
        rights: { production: null, endOfLife: null, claim: null },
        revision: 1,
        createdAt: moment,
        updatedAt: moment,
      })),
      next: null,
      previous: null,
    },
  }))
const stageId = randomUUID()
const productId = randomUUID()
const moment = '2026-03-01T09:30:00.000000Z'

for (const [products, devices, step, href] of [
  [0, 0, 'Create a product', '/dashboard/maple/products?create=true'],
  [1, 0, 'Connect a device', `/dashboard/maple/products/${productId}`],
  [1, 3, null, null],
] as const)
  staged(products, devices)(
    `with ${products} products and ${devices} devices, the next step is ${step}`,
    async ({ page }) => {
      await page.goto('/dashboard')
      await expect(page.getByRole('region', { name: 'Your first release' })).toBeVisible()
      await expect(page.getByRole('region', { name: 'Needs attention' })).toContainText(
        devices > 0 ? '3 devices wait' : 'Nothing needs you',
      )
      const steps = page.getByRole('region', { name: 'Your first device' })
      await expect(steps).toHaveCount(step === null ? 0 : 1)
      if (step === null) return
      await expect(steps.getByRole('link')).toHaveText(step)
      expect(await steps.getByRole('link').getAttribute('href')).toContain(href)
    },
  )
