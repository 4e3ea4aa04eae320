import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

/** A round through everything on a page with a long list is below this. */
const maxPresses = 150

/**
 * A person who has a keyboard alone. Each way to a control starts where the focus is: a page or a
 * dialog that lost it fails here.
 */
export function keyboardOf(page: Page) {
  const { keyboard } = page
  const isFocused = (target: Locator) =>
    target.evaluate((element) => element === document.activeElement)

  async function tabUntil(target: Locator, key: 'Tab' | 'Shift+Tab') {
    await expect(target).toBeVisible()
    for (let presses = 0; presses < maxPresses && !(await isFocused(target)); presses += 1)
      await keyboard.press(key)
    await expect(target).toBeFocused()
  }

  const reach = async (target: Locator) => {
    await expectFocus(page)
    await tabUntil(target, 'Tab')
    await expectInSight(target)
  }
  const press = async (target: Locator, key = 'Enter') => {
    await reach(target)
    await keyboard.press(key)
  }
  return {
    reach,
    /** The first way on a page that has just been loaded. */
    start: (target: Locator) => tabUntil(target, 'Tab'),
    back: (target: Locator) => tabUntil(target, 'Shift+Tab'),
    press,
    /** Replaces what a field holds. */
    write: async (target: Locator, text: string) => {
      await reach(target)
      await keyboard.press('Control+A')
      await keyboard.insertText(text)
    },
    /** Chooses in a native list by the arrows. */
    select: async (target: Locator, text: string) => {
      await reach(target)
      const chosen = () =>
        target.evaluate((list) => (list as HTMLSelectElement).selectedOptions[0]?.text ?? '')
      await keyboard.press('Home')
      for (let presses = 0; presses < 20 && (await chosen()) !== text; presses += 1)
        await keyboard.press('ArrowDown')
      expect(await chosen()).toBe(text)
    },
    /** Opens the browser's dialog of files and chooses one. */
    choose: async (target: Locator, file: Parameters<Locator['setInputFiles']>[0]) => {
      const chooser = page.waitForEvent('filechooser')
      await press(target)
      await (await chooser).setFiles(file)
    },
    /** Answers the question before something that cannot be taken back; the focus comes back. */
    answer: async (name: string) => {
      const question = page.getByRole('alertdialog')
      await press(question.getByRole('button', { name, exact: true }))
      await expect(question).toHaveCount(0)
    },
  }
}

/** The focus is somewhere: what had it may be gone, but then the page has put it elsewhere. */
export const expectFocus = (page: Page) =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.tagName), {
      message: `the focus is lost at ${page.url()}`,
    })
    .not.toBe('BODY')

/** Not covered, for instance by a bar that stays at the edge of the window. */
async function expectInSight(target: Locator) {
  const isInSight = () =>
    target.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const found = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 12))
      const label = element.closest('label') ?? element.id
      return (
        width <= 1 ||
        (found !== null &&
          (element.contains(found) ||
            found.contains(element) ||
            (typeof label !== 'string' && label.contains(found))))
      )
    })
  await expect.poll(isInSight, { message: `${String(target)} is covered` }).toBe(true)
}
