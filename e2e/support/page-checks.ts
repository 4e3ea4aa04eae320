import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

export const phone = { width: 375, height: 812 }

/** Nothing scrolls horizontally: neither the page, nor a part of it, nor an overlay. */
export async function expectNoOverflow(page: Page) {
  const wide = () =>
    page.evaluate(() => {
      const isTooWide = (element: Element) => {
        const { position, overflowX } = getComputedStyle(element)
        const scrolls = element === document.documentElement || /auto|scroll/.test(overflowX)
        const isBeyond = position === 'fixed' && element.getBoundingClientRect().right > innerWidth
        return isBeyond || (scrolls && element.scrollWidth > element.clientWidth)
      }
      return [...document.querySelectorAll('*')]
        .filter((element) => element.checkVisibility() && isTooWide(element))
        .map(({ tagName, className }) => `${tagName} ${className}`)
    })
  // A narrowed page updates its layout a moment later.
  await expect.poll(wide, { message: page.url() }).toEqual([])
}

/** Nothing overflows the side edges of its container. */
export async function expectWithin(part: Locator, whole: Locator) {
  const [inner, outer] = [await part.boundingBox(), await whole.boundingBox()]
  if (!inner || !outer) throw new Error('It is not on the page')
  expect(inner.x).toBeGreaterThanOrEqual(outer.x)
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
}

const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * No accessibility violations that axe finds. In dark mode only colours are checked: the light twin
 * of the test checks everything.
 */
export async function expectAccessible(page: Page, part = 'html') {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const axe = new AxeBuilder({ page })
    .include(part)
    // It repeats the name of the focused control, and belongs to it.
    .exclude('[role=tooltip]')
    .options({
      resultTypes: ['violations'],
      ...(isDark && { runOnly: { type: 'rule', values: ofColours } }),
    })
    // Pages have no frames, so results need no extra page to be merged in.
    .setLegacyMode()
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
}

/** Presses Tab until an element has the focus, like a person without a mouse. */
export async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 60 && !(await isFocused()); presses++)
    await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

/** An image that the browser has rendered, not a broken one. */
export async function expectDrawn(image: Locator) {
  await image.scrollIntoViewIfNeeded()
  await expect
    .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0)
}

/** The confirmation before something irreversible or lossy. */
export const question = (page: Page) => page.getByRole('alertdialog')

export async function answer(page: Page, button: string) {
  await question(page).getByRole('button', { name: button, exact: true }).click()
  await expect(question(page)).toHaveCount(0)
}

/**
 * Opens the console in Russian. The sample account is in English, which the console follows, and
 * other tests use it at the same time.
 */
export const inRussian = (page: Page) =>
  page.route('**/api/user/profile', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), locale: 'ru-RU' } })
  })
