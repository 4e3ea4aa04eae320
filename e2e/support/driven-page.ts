import type { Driven } from './driven.ts'
import { expect } from './test.ts'

/** Keys by their names in W3C WebDriver. */
export const keys = {
  Tab: '\uE004',
  Enter: '\uE007',
  Control: '\uE009',
  Escape: '\uE00C',
  ArrowDown: '\uE015',
} as const

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The position of the first visible element of a selector with this text; null while there is none. */
const boxOf = (selector: string, text: string | null): Box | null => {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    const { width } = element.getBoundingClientRect()
    const name = (element.getAttribute('aria-label') ?? element.textContent).trim()
    const isBlocked = element.getAttribute('aria-disabled') === 'true'
    if (width === 0 || isBlocked || (text !== null && name !== text)) continue
    element.scrollIntoView({ block: 'nearest' })
    const { x, y, height } = element.getBoundingClientRect()
    return { x, y, width, height }
  }
  return null
}

/** What a person does in a browser that Playwright does not drive. */
export function drivenPage(page: Driven) {
  const seen = async (selector: string, text: string | null = null): Promise<Box> => {
    let box: Box | null = null
    const look = async () => {
      const before = box
      box = await page.run(boxOf, selector, text)
      // It has stopped moving.
      return box !== null && JSON.stringify(box) === JSON.stringify(before)
    }
    await expect.poll(look, { message: `${selector} ${text ?? ''}`, intervals: [100] }).toBe(true)
    return box ?? { x: 0, y: 0, width: 0, height: 0 }
  }
  const type = async (text: string, held?: string) => {
    const presses = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    const actions = held
      ? [{ type: 'keyDown', value: held }, ...presses, { type: 'keyUp', value: held }]
      : presses
    await page.act([{ type: 'key', id: 'keys', actions }])
  }
  return {
    ...page,
    /** Waits until it is visible and has stopped moving. */
    seen,
    gone: (selector: string) =>
      expect.poll(() => page.run(boxOf, selector, null), { message: selector }).toBe(null),
    /** Types a text, or keys of `keys`, with one of them held down. */
    type,
    click: async (selector: string, text: string | null = null) => {
      const { x, y, width, height } = await seen(selector, text)
      const at = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
      const button = 0
      const actions = [
        { type: 'pointerMove', duration: 0, ...at },
        { type: 'pointerDown', button },
        { type: 'pointerUp', button },
      ]
      await page.act([
        { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions },
      ])
    },
    /** Waits until the URL, without its host, is this one. */
    at: (address: string | RegExp) => {
      const place = () => page.run(() => location.pathname + location.search)
      return typeof address === 'string'
        ? expect.poll(place).toBe(address)
        : expect.poll(place).toMatch(address)
    },
    /** The focused element. */
    focused: () =>
      page.run(() => {
        const { activeElement: element } = document
        return (
          element?.getAttribute('name') ??
          element?.getAttribute('aria-label') ??
          element?.textContent ??
          ''
        )
      }),
  }
}
