const isLost = () => document.activeElement === document.body || document.activeElement === null

/**
 * Remembers what opens a dialog, and returns a function that gives the focus back to it. The opener
 * may be removed, while the dialog is open or later; the focus then goes to the fallback or to the
 * panel or page around it, never to the document, where Escape and Tab have no context.
 */
export function rememberFocus(fallback?: () => HTMLElement | null) {
  const opener = document.activeElement
  if (!(opener instanceof HTMLElement) || opener === document.body)
    // The URL opened it, and the focus is lost when the dialog is gone.
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
    // The opener may be removed in the same commit that closes the dialog.
    queueMicrotask(check)
  }
}
