import { useLayoutEffect, type RefObject } from 'react'

/**
 * Marks a table that is wider than its frame, which then has no secondary columns: how wide a language
 * is no media query knows. `content` changes when the columns or rows do.
 */
export function useTight(frame: RefObject<HTMLElement | null>, content: unknown) {
  useLayoutEffect(() => {
    const element = frame.current
    const table = element?.querySelector('table')
    if (!element || !table) return
    const fit = () => {
      delete element.dataset['tight']
      if (table.offsetWidth > element.clientWidth) element.dataset['tight'] = ''
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame, content])
}
