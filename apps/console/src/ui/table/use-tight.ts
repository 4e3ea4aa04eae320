import { useLayoutEffect, type RefObject } from 'react'

/**
 * Marks a table that is wider than its frame, which then hides secondary columns: no media query
 * knows how wide a language is. They stay hidden until the frame changes width or the reader chooses
 * others, so that columns keep their place from page to page.
 */
export function useTight(
  frame: RefObject<HTMLElement | null>,
  columns: readonly unknown[],
  hasRows: boolean,
) {
  useLayoutEffect(() => {
    const element = frame.current
    const table = element?.querySelector('table')
    if (!element || !table || !hasRows) return
    let width = 0
    const fit = () => {
      const { clientWidth } = element
      if (clientWidth !== width) element.toggleAttribute('data-tight', false)
      width = clientWidth
      if (table.offsetWidth > width) element.toggleAttribute('data-tight', true)
    }
    // The first rows are measured before they are shown, later ones after the layout that they need
    // anyway.
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    observer.observe(table)
    return () => observer.disconnect()
    // oxlint-disable-next-line react/exhaustive-deps -- other columns have other widths
  }, [frame, columns, hasRows])
}
