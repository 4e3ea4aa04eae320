import { useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * A control that is removed takes the focus with it, and the keyboard would start at the top of the
 * page. When `state` changes, the control marked with `data-focus` gets the focus instead, or else
 * the section around it.
 */
export function useKeptFocus(part: RefObject<HTMLElement | null>, state: unknown): void {
  const earlier = useRef(state)
  useLayoutEffect(() => {
    if (earlier.current === state) return
    earlier.current = state
    if (document.activeElement !== document.body) return
    const next =
      part.current?.querySelector<HTMLElement>('[data-focus]') ??
      part.current?.closest<HTMLElement>('section[tabindex]')
    next?.focus({ preventScroll: true })
  }, [part, state])
}
