import { expect, type Page } from '@playwright/test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from '../support/run-folder.ts'
import { phone } from '../support/page-checks.ts'
import { sample, signIn, test as base } from '../support/test.ts'
import { startCedar } from './cedar.ts'
import { startMaple } from './maple.ts'
import { oldFashioned, specified, type Fashion, type ReferenceService } from './service.ts'

// The console beside a Cedar and a Maple that somebody wrote from the specification: nothing crashes,
// nothing false is shown, and what cannot be shown names the call and the field.

interface Services {
  url: string
  cedar: ReferenceService
  maple: ReferenceService
  /** They answer in this fashion from now on. */
  follow: (fashion: Fashion) => void
}

const test = base.extend<object, { services: Services }>({
  services: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-reference-'))
      await copyTemplate(folder)
      let origin = ''
      const jwksUrl = () => `${origin}/.well-known/jwks.json`
      const [cedar, maple] = await Promise.all([startCedar(jwksUrl), startMaple(jwksUrl)])
      const platform = await startPlatform({
        GROVE_DATA: folder,
        GROVE_SERVICES: 'auth,console',
        GROVE_CEDAR_API_URL: cedar.url,
        GROVE_MAPLE_API_URL: maple.url,
      })
      origin = platform.url
      const follow = (fashion: Fashion) => {
        for (const service of [cedar, maple]) service.fashion = fashion
      }
      await use({ url: platform.url, cedar, maple, follow })
      await platform.stop()
      cedar.close()
      maple.close()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ services }, use) => use(services.url),
})

// They share the services, which answer in one fashion at a time.
test.describe.configure({ mode: 'default' })

const main = (page: Page) => page.locator('main')

/** Opens a page and waits until nothing on it is on its way. */
async function open(page: Page, path: string) {
  await page.goto(`/dashboard${path}`)
  await expect(main(page).getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(main(page).locator('.skeleton, [aria-busy=true]')).toHaveCount(0)
}

/** What no page may show, whatever it was answered. */
async function expectSound(page: Page) {
  const text = await main(page).innerText()
  expect(text).not.toMatch(/Something went wrong|NaN|Invalid Date|undefined|\[object/)
}

/** A page of the minimum, and what of the services' data it shows. */
const walks: [path: string, shown: string | RegExp][] = [
  ['/cedar/mobile', 'Tide Table'],
  ['/cedar/providers', 'Harbour Labs'],
  ['/maple/providers', /acme-wearables/],
  ['/maple/devices', 'Lighthouse'],
  ['/maple/secure_elements', /4790/],
  ['/maple/accounts', 'operator'],
]

for (const [name, fashion] of [
  ['that follow the specification', specified],
  ['with bare lists and ids that are numbers', oldFashioned],
] as const)
  test(`the lists of services ${name} show what they have`, async ({ page, services }) => {
    services.follow(fashion)
    await signIn(page, sample.admin)
    for (const [path, shown] of walks) {
      await open(page, path)
      await expect(main(page).getByText(shown).first(), path).toBeVisible()
      await expect(main(page), path).not.toContainText(/No .* yet/)
      await expectSound(page)
    }
    // Pages beyond the minimum say so, and leave the menu.
    await open(page, '/maple/templates')
    await expect(main(page)).toContainText('GET /api/maple/templates')
    await expect(main(page)).toContainText('does not offer this')
    await expect(main(page).getByRole('button', { name: /New/ })).toHaveCount(0)
    await main(page).getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Home')
    await expect(main(page)).not.toContainText('is blocked')
    await expectSound(page)
    await expect(page.getByRole('navigation').getByText('templates', { exact: false })).toHaveCount(
      0,
    )
    // Remembered as long as the tab.
    await page.reload()
    await expect(page.getByRole('link', { name: 'My apps' })).toBeVisible()
    await expect(page.getByRole('navigation').getByText('templates', { exact: false })).toHaveCount(
      0,
    )
  })

test('a change is made, and what was not answered is read again', async ({ page, services }) => {
  services.follow(oldFashioned)
  await signIn(page, sample.admin)
  await open(page, '/cedar/mobile?create=true')
  const form = page.getByRole('dialog')
  await form
    .getByRole('textbox', { name: /English/ })
    .first()
    .fill('Harbour Map')
  await form.getByRole('button', { name: /^Create/ }).click()
  await expect(page.getByRole('heading', { name: 'Harbour Map' })).toBeVisible()
  await expectSound(page)

  await open(page, '/maple/devices?create=true')
  await form.getByRole('textbox', { name: 'Name' }).fill('Buoy')
  await form.getByRole('button', { name: /^(Create|Register)/ }).click()
  await expect(main(page).getByText('Buoy').first()).toBeVisible()
  expect(services.maple.calls).toContain('POST /api/maple/device')
})

test('what cannot be read names the call and the field', async ({ page, services, context }) => {
  services.follow(specified)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, sample.admin)
  const { maple } = services
  const answers: [answer: string, shown: string][] = [
    ['[{"name":"a"}]', 'GET /api/maple/device: “items[0].id” is missing.'],
    ['{"devices":[]}', 'GET /api/maple/device: “items” is missing.'],
    ['<html></html>', 'GET /api/maple/device answered with a web page instead of JSON.'],
    ['devices', 'GET /api/maple/device answered with plain text instead of JSON.'],
  ]
  for (const [answer, shown] of answers) {
    maple.instead.set('GET /api/maple/device', (response) => response.end(answer))
    await page.goto('/dashboard/maple/devices')
    await expect(main(page).getByRole('alert')).toHaveText(shown)
  }
  // On a phone too, where rows are lines.
  const desktop = page.viewportSize()
  await page.setViewportSize(phone)
  const cell = main(page)
    .locator('td')
    .filter({ has: page.getByRole('alert') })
  await expect.poll(async () => (await cell.boundingBox())?.width).toBeGreaterThan(200)
  if (desktop) await page.setViewportSize(desktop)
  await main(page).getByRole('button', { name: 'Copy details' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('GET /api/maple/device {')
  expect(copied).toContain('Answer: devices')
  maple.instead.set('GET /api/maple/device', (response) =>
    response.writeHead(500).end('The database is away'),
  )
  await page.goto('/dashboard/maple/devices')
  await expect(main(page).getByRole('alert')).toHaveText(
    'GET /api/maple/device answered 500: The database is away',
    { timeout: 20_000 },
  )
  maple.instead.clear()
  await main(page).getByRole('button', { name: 'Try again' }).click()
  await expect(main(page).getByText('Lighthouse')).toBeVisible()
})
