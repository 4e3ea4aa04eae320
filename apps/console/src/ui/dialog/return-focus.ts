const isLost = () => document.activeElement === document.body || document.activeElement === null

/**
 * Remembers what opens a dialog, and returns what gives the focus back to it. What was done may remove
 * the opener, while the dialog is open or after it; the focus then goes to the fallback or to the panel
 * or page that was around it, never to the document, where neither Escape nor Tab knows where the
 * reader is.
 */
export function rememberFocus(fallback?: () => HTMLElement | null) {
  const opener = document.activeElement
  if (!(opener instanceof HTMLElement) || opener === document.body)
    // The address opened it. The focus is lost when the dialog has left.
    return () => queueMicrotask(() => isLost() && fallback?.()?.focus({ preventScroll: true }))
  const places: HTMLElement[] = []
  for (let place = opener.parentElement; place; place = place.parentElement)
    if (place.tabIndex === -1 && place.hasAttribute('tabindex')) places.push(place)

  return () => {
    const observer = new MutationObserver(() => check())
    const stop = () => observer.disconnect()
    const check = () => {
      if (opener.isConnected) {
        if (!isLost() && document.activeElement !== opener) stop()
        return
      }
      stop()
      if (!isLost()) return
      const target = fallback?.() ?? places.find((place) => place.isConnected)
      target?.focus({ preventScroll: true })
    }
    if (opener.isConnected && isLost()) opener.focus()
    observer.observe(document.body, { childList: true, subtree: true })
    // The opener may leave with the commit that closes the dialog.
    queueMicrotask(check)
  }
}
