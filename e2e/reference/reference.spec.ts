import { expect, type Page } from '@playwright/test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from '../support/run-folder.ts'
import { closeRelease, versionPage } from '../support/my-apps-pages.ts'
import { answer, phone, question } from '../support/page-checks.ts'
import { sample, signIn, test as base } from '../support/test.ts'
import { startCedar } from './cedar.ts'
import { cplcs, startMaple } from './maple.ts'
import { oldFashioned, specified, type Fashion, type ReferenceService } from './service.ts'

// The console with a third-party Cedar and Maple that were written from the specification: nothing
// crashes, nothing false is shown, and a message names the call and the field that are missing.

interface Services {
  url: string
  cedar: ReferenceService
  maple: ReferenceService
  /** Both answer in this style from now on. */
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

// They share the services, which answer in one style at a time.
test.describe.configure({ mode: 'default' })

const main = (page: Page) => page.locator('main')

/** Opens a page and waits until everything on it has loaded. */
async function open(page: Page, path: string) {
  await page.goto(`/dashboard${path}`)
  await expect(main(page).getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(main(page).locator('.skeleton, [aria-busy=true]')).toHaveCount(0)
}

/** What no page may show, whatever the answers. */
async function expectSound(page: Page) {
  const text = await main(page).innerText()
  expect(text).not.toMatch(/Something went wrong|NaN|Invalid Date|undefined|\[object/)
}

/** Changes that work in every style. */
const cedarChanges = [
  'POST /api/developer/product',
  'PUT /api/developer/product/{id}/link',
  'POST /api/developer/productVersion',
  'POST /api/storage/productVersion/miniApp',
  'PUT /api/developer/productVersion/{id}',
  'DELETE /api/developer/product/{id}',
  'POST /api/cedar/provider',
  'PUT /api/admin/provider/{id}',
  'DELETE /api/cedar/provider',
]
const mapleChanges = [
  'POST /api/maple/device',
  'PUT /api/maple/device',
  'DELETE /api/maple/device',
  'DELETE /api/maple/roles',
  'POST /api/maple/se/domains',
  'POST /api/maple/se/hsm',
  'DELETE /api/maple/se/element',
]

/** The minimum's pages, and some of the services' data that each shows. */
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
  test(`the lists of services ${name} show what they have @long`, async ({ page, services }) => {
    services.follow(fashion)
    await signIn(page, sample.admin)
    for (const [path, shown] of walks) {
      await open(page, path)
      await expect(main(page).getByText(shown).first(), path).toBeVisible()
      await expect(main(page), path).not.toContainText(/No .* yet/)
      await expectSound(page)
    }
    // Pages beyond the minimum say so, and disappear from the menu.
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
    // Remembered until the tab is closed.
    await page.reload()
    await expect(page.getByRole('link', { name: 'My apps' })).toBeVisible()
    await expect(page.getByRole('navigation').getByText('templates', { exact: false })).toHaveCount(
      0,
    )
  })

for (const fashion of [specified, oldFashioned]) {
  const [name, isOld] = [fashion === specified ? 'new' : 'old', fashion === oldFashioned]
  test(`every resource of a Cedar of the ${name} fashion can be changed @long`, async ({
    page,
    services: { cedar, follow },
  }) => {
    follow(fashion)
    cedar.calls.length = 0
    await signIn(page, sample.admin)
    const form = page.getByRole('dialog')
    const button = (label: string | RegExp) => main(page).getByRole('button', { name: label })

    await open(page, '/cedar/mobile?create=true')
    await form.getByRole('textbox', { name: /English/ }).fill('Harbour Map')
    await form.getByRole('button', { name: 'Create' }).click()
    await expect(main(page).getByText('No version is live').first()).toBeVisible()
    await button('New link').click()
    await expect(main(page).getByRole('link', { name: /Tide123$/ })).toBeVisible()
    await expectSound(page)

    await main(page).getByRole('button', { name: 'New version' }).first().click()
    await form.getByRole('button', { name: 'Create' }).click()
    const version = versionPage(page)
    await version.choosePackage({
      name: 'harbour.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('PK'),
    })
    await expect(version.step('Package')).toHaveText(isOld ? /Unknown/ : /Done/)
    await version.enable.click()
    await answer(page, 'Publish')
    await closeRelease(page, '1.0.0')
    await expect(version.release).toContainText('Live')
    if (!isOld) {
      const download = page.waitForEvent('download')
      await version.download()
      await answer(page, 'Download')
      expect((await download).suggestedFilename()).toBe('harbour.zip')
    }
    await expectSound(page)
    await main(page).getByRole('link', { name: 'All versions' }).click()
    // Its list of versions shows the fields that its own call lacks.
    await expect(main(page)).toContainText(/Live\s*1\.0\.0\s*· 1 version/)
    await main(page).getByRole('link', { name: 'Overview' }).click()
    await expect(main(page).getByText('Live version', { exact: true })).toBeVisible()
    await button('Hide the app…').click()
    await answer(page, 'Unpublish')
    await expect(main(page).getByText('No version is live').first()).toBeVisible()
    await button('Delete the app').click()
    await question(page).getByRole('textbox').fill('Harbour Map')
    await answer(page, 'Delete')
    await expect(main(page).getByText('Ferry Times').first()).toBeVisible()
    await expectSound(page)

    await open(page, '/cedar/notifications?create=true')
    if (isOld) await expect(main(page)).toContainText('404 to GET /api/notification.')
    else {
      await expect(main(page)).not.toContainText('Sending is not set up')
      await form.getByRole('button', { name: 'App' }).click()
      await page.getByRole('option', { name: 'Tide Table' }).click()
      await form.getByRole('textbox', { name: 'Title' }).first().fill('Fog')
      await form.getByRole('textbox', { name: 'Text' }).first().fill('Until noon')
      await form.getByRole('button', { name: 'Send…' }).click()
      await question(page).getByRole('button').last().click()
      await expect(main(page).getByText('Fog').first()).toBeVisible()
    }
    await expectSound(page)

    await open(page, '/cedar/providers?create=true')
    await form.getByRole('textbox', { name: 'Name' }).fill('Pier Works')
    await form.getByRole('button', { name: 'Create' }).click()
    const panel = page.locator('[data-panel]')
    await expect(panel.getByRole('heading', { name: 'Pier Works' })).toBeVisible()
    await expect(panel).toContainText('GET /api/provider/{id}/storage answered 404')
    await panel.getByRole('button', { name: 'Disable…' }).click()
    await answer(page, 'Disable')
    await expect(panel.getByText('Disabled')).toBeVisible()
    await expectSound(page)
    await panel.getByRole('button', { name: 'Delete…' }).click()
    await question(page).getByRole('textbox').fill('Pier Works')
    await answer(page, 'Delete the provider')
    await expect(main(page).getByText('Pier Works')).toHaveCount(0)
    expect(cedar.calls).toEqual(expect.arrayContaining(cedarChanges))
  })

  test(`every resource of a Maple of the ${name} fashion can be changed @long`, async ({
    page,
    services: { maple, follow },
  }) => {
    follow(fashion)
    maple.calls.length = 0
    await signIn(page, sample.admin)
    const form = page.getByRole('dialog')
    const button = (label: string | RegExp) => main(page).getByRole('button', { name: label })

    await open(page, '/maple/devices?create=true')
    await form.getByRole('textbox', { name: 'Name' }).fill('Buoy')
    await form.getByRole('button', { name: 'Create' }).click()
    await expect(main(page).getByText('Buoy').first()).toBeVisible()
    // Each style changes a device of its own: the services keep running.
    await open(page, `/maple/devices/gate-${isOld ? 2 : 1}`)
    await button('Edit').click()
    await main(page).getByRole('textbox', { name: 'Name' }).fill('North gate')
    await button('Save').click()
    await expect(main(page).getByRole('heading', { level: 1 })).toContainText('North gate')
    await expectSound(page)
    await button('Retire…').click()
    await answer(page, 'Retire the device')
    await open(page, '/maple/devices')
    await expect(main(page).getByText('Lighthouse')).toBeVisible()
    await expect(main(page).getByText('North gate')).toHaveCount(0)

    await open(page, '/maple/providers?create=true')
    await form.getByRole('textbox', { name: 'Name' }).fill('Pier Works')
    await form.getByRole('textbox', { name: 'ID' }).fill('pier-works')
    await form.getByRole('button', { name: 'Create' }).click()
    const panel = page.locator('[data-panel]')
    if (isOld) await expect(form).toContainText('405 to POST /api/maple/service')
    else {
      await expect(panel).toContainText('GET /api/maple/service/activity answered 404')
      await expect(panel.getByRole('button', { name: /Suspend|Resume/ })).toHaveCount(0)
      await panel.getByRole('button', { name: 'Delete…' }).click()
      await answer(page, 'Delete the service provider')
      await expect(main(page).getByText('Pier Works')).toHaveCount(0)
    }

    await open(page, '/maple/accounts')
    await main(page)
      .getByRole('row')
      .nth(isOld ? 2 : 1)
      .click()
    await expect(panel.getByRole('heading', { name: 'Roles' })).toBeVisible()
    await expect(panel).not.toContainText('grants no rights')
    if (!isOld) {
      await panel.getByLabel('Role to grant').selectOption('auditor')
      await panel.getByRole('button', { name: 'Grant…' }).click()
      await answer(page, 'Grant')
      await expect(panel.getByRole('button', { name: 'Revoke auditor' })).toBeVisible()
    }
    await panel.getByRole('button', { name: 'Revoke operator' }).click()
    await answer(page, 'Revoke')
    await expect(panel.getByRole('button', { name: 'Revoke operator' })).toHaveCount(0)

    if (!isOld) {
      await open(page, '/maple/secure_elements/profiles')
      await button('New profile').click()
      await form.getByRole('textbox', { name: 'Name' }).fill('Door key')
      await form.getByRole('textbox', { name: 'ID' }).fill('door-key')
      await form.getByRole('button', { name: 'Create' }).click()
      await expect(main(page).getByText('Door key')).toBeVisible()
    }
    const [cplc = ''] = cplcs.slice(isOld ? 1 : 0)
    await open(page, `/maple/secure_elements/${cplc}`)
    await expect(main(page)).not.toContainText('In no device')
    await button('Change the domains…').click()
    await form.getByRole('tab', { name: 'JSON' }).click()
    const issuer = { aid: 'A000000151000000', parent: null, state: 'secured', privileges: [] }
    await form.getByRole('textbox', { name: 'Domains' }).fill(JSON.stringify([issuer]))
    await form.getByRole('button', { name: 'Show the plan' }).click()
    await expect(form.getByText('Adds 1 domain')).toBeVisible()
    // The old style ignores a dry run: the console computes the plan.
    expect(maple.calls).not.toContain('POST /api/maple/se/domains')
    await form.getByRole('button', { name: 'Apply this plan' }).click()
    await expect(main(page).getByText('issuer security domain')).toBeVisible()
    await expect(main(page).getByText('Software vault')).toHaveCount(isOld ? 0 : 1)
    await button('Move the keys to an HSM…').click()
    await expect(question(page)).not.toContainText('must approve')
    await answer(page, 'Move the keys')
    await expect(page.getByText('The keys are moved.')).toBeVisible()
    await button('Delete…').click()
    await answer(page, 'Delete the element')
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Secure elements')
    await expect(main(page).getByText(cplc)).toHaveCount(0)
    await expectSound(page)
    expect(maple.calls).toEqual(expect.arrayContaining(mapleChanges))
  })
}

test('a developer sees the lists, and a working stage whose header the service does not allow', async ({
  browser,
  baseURL,
  services,
}) => {
  // Chromium reports the refused header, which is requested only once.
  const page = await browser.newPage(baseURL === undefined ? {} : { baseURL })
  services.follow(specified)
  await signIn(page, sample.developer)
  const own: [path: string, shown: string][] = [
    ['', 'Home'],
    ['/cedar/mobile', 'Tide Table'],
    ['/cedar/notifications', 'High water'],
    ['/iot', 'Lighthouse'],
  ]
  for (const [path, shown] of own) {
    await open(page, path)
    await expect(main(page).getByText(shown).first(), path).toBeVisible()
    await expectSound(page)
  }
  await expect(page.getByRole('navigation').getByText('Providers')).toHaveCount(0)
  await page.close()
})

test('the menu follows the calls that a service lists @long', async ({ page, services }) => {
  services.follow(specified)
  const counts = { devices: {}, elements: {}, services: {}, accounts: {} }
  const calls = ['GET /api/maple/about', 'GET /api/maple/device']
  services.maple.instead.set('GET /api/maple/about', (response) =>
    response.end(JSON.stringify({ ...counts, calls })),
  )
  await signIn(page, sample.admin)
  await open(page, '/maple')
  await expectSound(page)
  await main(page).getByRole('link', { name: 'Devices' }).first().click()
  await expect(main(page).getByText('Lighthouse')).toBeVisible()
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await expect(menu.getByText('Overview')).toBeVisible()
  await expect(menu.getByText('Templates')).toHaveCount(0)
  await expect(main(page).getByRole('button', { name: 'New device' })).toHaveCount(0)
  services.maple.instead.clear()
})

test('unreadable data names the call and the field @long', async ({ page, services, context }) => {
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
