import type { KeyboardEvent } from 'react'

/** Where a key moves the focus in a menu; undefined for keys that do not move it. */
export function nextPlace(key: string, current: number, count: number): number | undefined {
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return (current + 1) % count
    case 'ArrowUp':
      return (Math.max(current, 0) - 1 + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

const choices = 'input:not(:disabled), button:not(:disabled), select, a[href]'

export const choicesOf = (menu: HTMLElement): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>(choices)].filter((choice) => choice.checkVisibility())

/** Arrows, Home and End move between the choices of a menu; the page behind does not scroll. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>) {
  const all = choicesOf(event.currentTarget)
  const place = all.findIndex((choice) => choice === event.target)
  const next = nextPlace(event.key, place, all.length)
  if (next === undefined || event.target instanceof HTMLSelectElement) return
  event.preventDefault()
  // Table rows have arrow keys of their own.
  event.stopPropagation()
  all[next]?.focus()
}
