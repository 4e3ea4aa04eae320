import type { Page } from '@playwright/test'
import type { Answers } from '../support/answers.ts'
import { appAnswers } from '../support/app-answers.ts'
import { deviceOf, fleetAnswers } from '../support/fleet-answers.ts'
import { expectAccessible } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const emptyPage = { items: [], next: null, previous: null }
const cplc = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'

/** The lists that the palette searches, empty except for devices and one app. */
const lists = (): Answers => ({
  ...fleetAnswers([]),
  ...appAnswers([]),
  'GET /api/maple/se/element': { ...emptyPage, isTruncated: false },
  'GET /api/maple/products': emptyPage,
  'GET /api/maple/binary_images': emptyPage,
  'GET /api/maple/rollouts': emptyPage,
  'GET /api/maple/group': emptyPage,
  'GET /api/maple/cloud_handlers': emptyPage,
  'GET /api/maple/device_handlers': emptyPage,
  'GET /api/maple/scripts': emptyPage,
  'GET /api/maple/templates': emptyPage,
  'GET /api/maple/applets': emptyPage,
  'GET /api/maple/account': emptyPage,
  'GET /api/admin/provider': emptyPage,
  'GET /api/admin/account': emptyPage,
})
const admin = testAs(people.admin, lists)
const kioskAdmin = testAs(people.admin, () => ({
  ...lists(),
  ...fleetAnswers([deviceOf('Kiosk 0375')]),
}))

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to' })

async function type(page: Page, text: string) {
  const palette = paletteOf(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  if (!(await palette.isVisible())) await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill(text)
  return palette
}

admin('pages are found by what people call them, in both languages', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  for (const [text, ...titles] of [
    ['firmware', 'Binary images', 'Rollouts'],
    ['прошивка', 'Binary images', 'Rollouts'],
    ['dark', 'Account'],
    ['пароль', 'Account'],
    ['audit', 'Audit trail'],
  ] as const) {
    const palette = await type(page, text)
    const group = palette.getByRole('group', { name: 'Pages' })
    for (const title of titles)
      await expect(group.getByRole('option', { name: title }).first()).toBeVisible()
  }
})

admin('what is typed before the palette has loaded appears in its field', async ({ page }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/assets\/palette-/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/dashboard/cedar/mobile')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  release()
  await expect(paletteOf(page).getByRole('combobox')).toHaveValue('audit')
  await page.keyboard.type(' trail')
  await expect(paletteOf(page).getByRole('combobox')).toHaveValue('audit trail')
  await expect(paletteOf(page).getByRole('option', { name: 'Audit trail' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page).getByRole('combobox')).toHaveValue('')
})

const unloaded = testAs(people.admin, lists)
unloaded('a palette that fails to load leaves the page its keys', async ({ page }) => {
  await page.route(/\/assets\/palette-/, (route) => route.abort())
  await page.goto('/dashboard/cedar/account')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await expect(name).toBeVisible()
  await page.keyboard.press('Control+k')
  // Preloaded parts may show this message too.
  await expect(page.getByText('This part of the page did not load.').first()).toBeVisible()
  await expect(async () => {
    await name.press('x')
    await expect(name).toHaveValue(/^x/, { timeout: 100 })
  }).toPass()
})

admin('a status word explains itself', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  const palette = await type(page, '6A88')
  await expect(palette.getByRole('option').first()).toHaveText(
    /6A88: referenced data not found.*GlobalPlatform/,
  )
  await type(page, '63c2')
  await expect(palette.getByRole('option').first()).toContainText('tries left: 2')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#decode=63C2/)
})

admin(
  'a search without results says what it covered, and a CPLC opens its device',
  async ({ page }) => {
    await page.goto('/dashboard/cedar/mobile')
    const palette = await type(page, 'qqqq')
    await expect(palette).toContainText(
      'Nothing has a word that begins with “qqqq”. Compared: names',
    )
    await type(page, ` 9f 7f 2a\n${cplc.replaceAll(/../g, '$& ')} 90 00 `)
    await expect(palette.getByRole('option').first()).toContainText('serial 00485399')
  },
)

kioskAdmin('recently opened items are offered first', async ({ page }) => {
  await page.goto('/dashboard/cedar/mobile')
  const palette = await type(page, 'Kiosk')
  await palette.getByRole('option', { name: 'Kiosk 0375' }).click()
  await expect(page).toHaveURL(/device=Kiosk-0375/)
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  const recent = palette.getByRole('group', { name: 'Recently opened' })
  await expect(recent.getByRole('option', { name: 'Kiosk 0375' })).toBeVisible()
  await expect(palette.getByRole('option').first()).toContainText('Kiosk 0375')
})
