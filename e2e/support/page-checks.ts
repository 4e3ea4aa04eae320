import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

export const phone = { width: 375, height: 812 }

/** Nothing has to be scrolled sideways: neither the page, nor a part of it, nor what lies over it. */
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
  // A page that was made narrower lays itself out a moment later.
  await expect.poll(wide, { message: page.url() }).toEqual([])
}

/** Nothing of a part lies past the side edges of what holds it. */
export async function expectWithin(part: Locator, whole: Locator) {
  const [inner, outer] = [await part.boundingBox(), await whole.boundingBox()]
  if (!inner || !outer) throw new Error('It is not on the page')
  expect(inner.x).toBeGreaterThanOrEqual(outer.x)
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
}

const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * Nothing that a machine finds keeps a person with a disability from using the page. In dark, only
 * what colours change is looked at: the light twin of the test looks at everything.
 */
export async function expectAccessible(page: Page, part = 'html') {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const axe = new AxeBuilder({ page })
    .include(part)
    // It says again what names the control that has the focus, and belongs to it.
    .exclude('[role=tooltip]')
    .options({
      resultTypes: ['violations'],
      ...(isDark && { runOnly: { type: 'rule', values: ofColours } }),
    })
    // No page has frames: results need no page of their own to be put together in.
    .setLegacyMode()
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
}

/** Presses Tab until something has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 60 && !(await isFocused()); presses++)
    await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

/** An image that the browser has drawn, not a broken one. */
export async function expectDrawn(image: Locator) {
  await image.scrollIntoViewIfNeeded()
  await expect
    .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0)
}

/** The question that asks before something is lost or cannot be taken back. */
export const question = (page: Page) => page.getByRole('alertdialog')

export async function answer(page: Page, button: string) {
  await question(page).getByRole('button', { name: button, exact: true }).click()
  await expect(question(page)).toHaveCount(0)
}

/**
 * Reads the console in Russian. The account of the sample is in English, which the console follows,
 * and other tests use it at the same time.
 */
export const inRussian = (page: Page) =>
  page.route('**/api/user/profile', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), locale: 'ru-RU' } })
  })
