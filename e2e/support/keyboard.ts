import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

/** More Tab presses than a page with a long list needs. */
const maxPresses = 150

/**
 * A person with only a keyboard. Each path to a control starts at the focus: a page or dialog that
 * lost it fails here.
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
    /** The first path on a newly loaded page. */
    start: (target: Locator) => tabUntil(target, 'Tab'),
    back: (target: Locator) => tabUntil(target, 'Shift+Tab'),
    press,
    /** Replaces a field's value. */
    write: async (target: Locator, text: string) => {
      await reach(target)
      await keyboard.press('Control+A')
      await keyboard.insertText(text)
    },
    /** Chooses in a native list with the arrow keys. */
    select: async (target: Locator, text: string) => {
      await reach(target)
      const chosen = () =>
        target.evaluate((list) => (list as HTMLSelectElement).selectedOptions[0]?.text ?? '')
      await keyboard.press('Home')
      for (let presses = 0; presses < 20 && (await chosen()) !== text; presses += 1)
        await keyboard.press('ArrowDown')
      expect(await chosen()).toBe(text)
    },
    /** Opens the browser's file dialog and chooses one. */
    choose: async (target: Locator, file: Parameters<Locator['setInputFiles']>[0]) => {
      const chooser = page.waitForEvent('filechooser')
      await press(target)
      await (await chooser).setFiles(file)
    },
    /** Answers the confirmation of an irreversible action; the focus returns. */
    answer: async (name: string) => {
      const question = page.getByRole('alertdialog')
      await press(question.getByRole('button', { name, exact: true }))
      await expect(question).toHaveCount(0)
    },
  }
}

/** Something has the focus: if its element is gone, the page must have moved it. */
export const expectFocus = (page: Page) =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.tagName), {
      message: `the focus is lost at ${page.url()}`,
    })
    .not.toBe('BODY')

/** Not covered, for instance by a sticky bar. */
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
