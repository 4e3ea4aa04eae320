import { useLayoutEffect, type RefObject } from 'react'

/**
 * Marks a table that is wider than its frame, which then has no secondary columns: how wide a language
 * is no media query knows.
 */
export function useTight(frame: RefObject<HTMLElement | null>, rows: readonly unknown[]) {
  useLayoutEffect(() => {
    const element = frame.current
    const table = element?.querySelector('table')
    if (!element || !table || rows.length === 0) return
    const fit = () => {
      element.toggleAttribute('data-tight', false)
      element.toggleAttribute('data-tight', table.offsetWidth > element.clientWidth)
    }
    // Calls it at once too, behind the layout: measured here, that would be done twice.
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame, rows])
}
