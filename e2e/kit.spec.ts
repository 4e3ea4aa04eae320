import { startPlatform } from '../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './support/run-folder.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kitPage, watchPolicy } from './support/kit-page.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, test } from './support/test.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const scheme of ['light', 'dark'] as const)
  for (const locale of ['en-US', 'ru-RU'] as const)
    test(`the kit is accessible and fits a phone, ${scheme}, ${locale}`, async ({ page }) => {
      const kit = kitPage(page)
      await kit.open(scheme, locale)
      await expect(page.locator('html')).toHaveAttribute('lang', locale)
      await expect(page.locator('html')).toHaveAttribute('data-scheme', scheme)
      await expect(page.getByRole('treegrid')).toBeVisible()
      await expect(page.locator('canvas')).toHaveCount(2)
      await expectAccessible(page)
      await page.setViewportSize(phone)
      await expectNoOverflow(page)
    })

for (const scheme of ['light', 'dark'] as const)
  test(`what is open is accessible and breaks no policy, ${scheme}`, async ({ page }) => {
    const violations = await watchPolicy(page)
    const kit = kitPage(page)
    await kit.open(scheme)
    await kit.menuButton.click()
    await expect(kit.menu).toBeVisible()
    await expectAccessible(page, '[popover]')
    await page.keyboard.press('Escape')
    await kit.combobox('Place').click()
    await expect(kit.options('Place').first()).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expectAccessible(page, '[popover]')
    await page.keyboard.press('Escape')
    await kit.dates('Last seen').click()
    await expect(kit.datePanel('Last seen').getByRole('grid')).toBeVisible()
    await expectAccessible(page, '[popover]')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Not allowed' }).hover()
    await expect(kit.tooltip).toBeVisible()
    await expectAccessible(page, '[popover]')
    expect(violations).toEqual([])
  })

test('a menu works by keyboard and gives the focus back', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await kit.menuButton.focus()
  await page.keyboard.press('Enter')
  await expect(kit.item('Edit')).toBeFocused()
  await expect(kit.menuButton).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(kit.item('Make a copy')).toBeFocused()
  await page.keyboard.press('End')
  await expect(kit.item('Delete…')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(kit.item('Edit')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Home')
  await expect(kit.item('Edit')).toBeFocused()
  await page.keyboard.type('mak')
  await expect(kit.item('Make a copy')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(kit.menu).toBeHidden()
  await expect(kit.menuButton).toBeFocused()

  await page.keyboard.press('ArrowDown')
  await expect(kit.item('Edit')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Edit was chosen.')).toBeVisible()
  await expect(kit.menuButton).toBeFocused()
})

test('a disabled item of a menu says why and does nothing', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await kit.menuButton.click()
  const archive = kit.item('Archive')
  await expect(archive).toHaveAttribute('aria-disabled', 'true')
  await expect(archive).toHaveAccessibleDescription('A live version cannot be archived.')
  await archive.click({ force: true })
  await page.keyboard.type('arch')
  await expect(archive).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(kit.menu).toBeVisible()
  await expect(page.getByText('Archive was chosen.')).toHaveCount(0)
})

test('a click outside and a second click on the button close a menu', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await kit.menuButton.click()
  await expect(kit.menu).toBeVisible()
  await kit.menuButton.click()
  await expect(kit.menu).toBeHidden()
  await kit.menuButton.click()
  await expect(kit.menu).toBeVisible()
  await page.getByRole('heading', { level: 1 }).click()
  await expect(kit.menu).toBeHidden()
})

test('a click before the code is there opens the menu when it arrives', async ({ page }) => {
  const kit = kitPage(page)
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route(/menu-panel-.*\.js/, async (route) => {
    await isReleased
    await route.continue()
  })
  await kit.open()
  await kit.menuButton.click()
  await expect(kit.menuButton).toHaveAttribute('aria-busy', 'true')
  await expect(kit.menu).toHaveCount(0)
  release()
  await expect(kit.item('Edit')).toBeFocused()
})

test('a panel whose code is lost says so, and opens once it can be had', async ({ page }) => {
  const kit = kitPage(page)
  await page.route(/date-range-panel-.*\.js/, (route) => route.abort())
  await kit.open()
  await kit.dates('Last seen').click()
  const panel = kit.datePanel('Last seen')
  await expect(panel.getByRole('alert')).toContainText('did not load')
  await page.unroute(/date-range-panel-.*\.js/)
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(panel.getByRole('grid')).toBeVisible()
})

test('a combobox searches, and chooses by keyboard', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  const place = kit.combobox('Place').first()
  await place.focus()
  await page.keyboard.press('ArrowDown')
  await expect(kit.search).toBeFocused()
  await expect(kit.options('Place')).toHaveCount(9)
  await page.keyboard.type('koln')
  await expect(kit.options('Place')).toHaveText([/Köln/])
  await page.keyboard.press('Enter')
  await expect(place).toHaveText('Köln')
  await expect(place).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(kit.options('Place').filter({ hasText: 'Köln' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('End')
  await page.keyboard.press('Escape')
  await expect(place).toBeFocused()
  await expect(place).toHaveText('Köln')

  await place.click()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(place).toHaveText('Hamburg')
  await place.click()
  await page.getByRole('button', { name: 'Clear the choice' }).click()
  await expect(place).toHaveText('Choose')
})

test('a combobox over a server shows that it searches, finds and fails', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await kit.combobox('Device').click()
  await expect(kit.options('Device')).toHaveCount(20)
  await kit.search.fill('1234')
  await expect(kit.options('Device')).toHaveText(['Device 1234'])
  await kit.search.fill('nothing like it')
  await expect(page.getByText('Nothing matches.').first()).toBeVisible()
  await kit.search.fill('fail')
  await expect(page.getByText('The search failed.')).toBeVisible()
  await kit.search.fill('77')
  await kit.options('Device').first().click()
  await expect(kit.combobox('Device')).toHaveText('Device 77')
})

test('a range of days: typed, from the calendar, from a preset', async ({ page }) => {
  await page.clock.setFixedTime('2026-11-22T22:30:00Z')
  const kit = kitPage(page)
  await kit.open()
  const created = kit.dates('Created')
  const panel = kit.datePanel('Created')
  await created.click()
  await expect(panel.getByRole('button', { name: 'Today', exact: true })).toBeFocused()
  // 23:30 in Berlin: still the 22nd there.
  await panel.getByRole('button', { name: 'Today', exact: true }).click()
  await expect(created).toHaveText('Created: Nov 22, 2026')
  await expect(created).toBeFocused()

  await created.click()
  await panel.getByRole('button', { name: /November 3, 2026/ }).click()
  await panel.getByRole('button', { name: /November 9, 2026/ }).click()
  await panel.getByRole('button', { name: 'Apply' }).click()
  await expect(created).toHaveText(/Created: Nov 3\s–\s9, 2026/)

  await page.keyboard.press('Enter')
  await panel.getByRole('spinbutton', { name: /day, To/ }).press('ArrowUp')
  await panel.getByRole('spinbutton', { name: /day, From/ }).focus()
  await page.keyboard.type('20')
  await expect(panel.getByRole('alert')).toHaveText('The last day is before the first.')
  await expect(panel.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await panel.getByRole('spinbutton', { name: /day, From/ }).focus()
  await page.keyboard.type('02')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await expect(created).toHaveText(/Created: Nov 2\s–\s10, 2026/)

  await page.getByRole('button', { name: 'Clear Created' }).click()
  await expect(created).toHaveText('Created: any time')
})

test('days are written as the language of the console writes them', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open('light', 'ru-RU')
  const seen = kit.dates('Последняя связь')
  await expect(seen).toHaveText(/1–7\sнояб\. 2026\sг\./)
  await seen.click()
  const panel = kit.datePanel('Последняя связь')
  await expect(panel.locator('th').first()).toHaveText('пн')
  await expect(panel.getByRole('group', { name: 'С' })).toHaveText(/^С?01\.11\.2026/)
})

test('tabs work by keyboard', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await kit.tab('Package').focus()
  await page.keyboard.press('ArrowRight')
  await expect(kit.tab('Listing')).toBeFocused()
  await expect(kit.tab('Listing')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('tabpanel', { name: 'Listing' })).toHaveText('What readers see.')
  await page.keyboard.press('End')
  await expect(kit.tab('Release')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(kit.tab('Package')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Home')
  await expect(kit.tab('Package')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('tabpanel', { name: 'Package' })).toBeFocused()
})

test('a tree works by keyboard', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  await expect(kit.tree).toBeVisible()
  await kit.node('Turnstile').click()
  await expect(kit.node('Turnstile')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(kit.node('Ticket machine')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(kit.node('Secure element')).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(kit.node('Secure element')).toBeHidden()
  await page.keyboard.press('End')
  await expect(kit.node('Омск')).toBeFocused()
  await page.keyboard.press('Home')
  await expect(kit.node('Berlin')).toBeFocused()
  await page.keyboard.type('kaz')
  await expect(kit.node('Kazan')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(kit.node('Kazan')).toHaveAttribute('aria-selected', 'true')
})

test('a tooltip shows on hover and on focus by key, and Escape hides it', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  const button = page.getByRole('button', { name: 'Hover, focus or hold' })
  await expect(button).toHaveAccessibleDescription('Explains the button.')
  await expect(async () => {
    await page.mouse.move(0, 0)
    await button.hover()
    await expect(kit.tooltip).toHaveText('Explains the button.', { timeout: 1500 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(kit.tooltip).toBeHidden()
  await page.mouse.move(0, 0)
  // The last input was a key, so this is a focus by key.
  await button.focus()
  await expect(kit.tooltip).toHaveText('Explains the button.')
  await page.keyboard.press('Tab')
  await expect(kit.tooltip).toHaveText(/You do not have the right to do this/)
  await page.keyboard.press('Tab')
  await expect(kit.tooltip).toBeHidden()
})

test('a tooltip changes with the words of its button', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const kit = kitPage(page)
  await kit.open()
  const copy = page.getByRole('region', { name: 'Information' }).locator('[data-tooltip^="Cop"]')
  await copy.focus()
  await page.keyboard.press('Enter')
  await expect(kit.tooltip).toHaveText('Copied')
  await expect(kit.tooltip).toHaveText('Copy')
})

test('the pointer can move onto a tooltip', async ({ page }) => {
  const kit = kitPage(page)
  await kit.open()
  const button = page.getByRole('button', { name: 'Not allowed' })
  await page.waitForLoadState('networkidle')
  await button.hover()
  await expect(kit.tooltip).toBeVisible()
  await kit.tooltip.hover()
  await expect(kit.tooltip).toBeVisible()
  await page.mouse.move(0, 0, { steps: 5 })
  await expect(kit.tooltip).toBeHidden()
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, viewport: phone })
  test('a tap on what is disabled says why', async ({ page }) => {
    const kit = kitPage(page)
    await kit.open()
    await page.waitForLoadState('networkidle')
    await page.getByRole('button', { name: 'Not allowed' }).tap({ force: true })
    await expect(kit.tooltip).toHaveText(/You do not have the right to do this/)
    await page.getByRole('heading', { level: 1 }).tap()
    await expect(kit.tooltip).toBeHidden()
  })
})

test('in a dialog, panels and tooltips lie over it and Escape closes one at a time', async ({
  page,
}) => {
  const kit = kitPage(page)
  await kit.open()
  await page.getByRole('button', { name: 'Open a form' }).click()
  const dialog = page.getByRole('dialog', { name: 'New device' })
  await dialog.getByRole('button', { name: 'Place: ' }).click()
  await expect(kit.options('Place')).toHaveCount(2)
  await kit.options('Place').first().click({ trial: true })
  await page.keyboard.press('Escape')
  await expect(kit.options('Place')).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Place: ' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Help' }).hover()
  await expect(kit.tooltip).toHaveText('Explains the button.')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('a panel stays inside the window and beside its button', async ({ page }) => {
  const kit = kitPage(page)
  await page.setViewportSize(phone)
  await kit.open('light', 'en-US')
  const boxes = async () => {
    const [button, panel] = await Promise.all([
      kit.dates('Last seen').boundingBox(),
      kit.datePanel('Last seen').boundingBox(),
    ])
    if (!button || !panel) throw new Error('Not shown.')
    return { button, panel }
  }
  await kit.dates('Last seen').click()
  await expect(kit.datePanel('Last seen').getByRole('grid')).toBeVisible()
  const { panel } = await boxes()
  expect(panel.x).toBeGreaterThanOrEqual(0)
  expect(panel.x + panel.width).toBeLessThanOrEqual(phone.width)
  expect(panel.y).toBeGreaterThanOrEqual(0)
  expect(panel.y + panel.height).toBeLessThanOrEqual(phone.height)
})

test('the page does not exist where others may come', async ({ request }) => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-kit-'))
  await copyTemplate(folder)
  const platform = await startPlatform({
    GROVE_DATA: folder,
    GROVE_TRUST_PROXY: 'on',
    GROVE_SAMPLE: 'off',
    GROVE_CONSOLE_URL: 'https://grove.test',
  })
  try {
    const named = { headers: { host: 'grove.test' } }
    expect((await request.get('/dev/kit')).status()).toBe(200)
    expect((await request.get(`${platform.url}/dev/kit`, named)).status()).toBe(404)
    expect((await request.get(`${platform.url}/login`, named)).status()).toBe(200)
  } finally {
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
