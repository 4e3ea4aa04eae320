/**
 * Listens for changes that happened while the page was in the background; returns an unsubscribe
 * function.
 */
export function listenToBrowser(changed: (event: Event) => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  // A page restored from the back/forward cache missed the storage events in between.
  for (const type of ['storage', 'pageshow', 'visibilitychange', 'online'])
    // React Native has a `window` without events.
    globalThis.window?.addEventListener?.(type, changed, { signal })
  return () => controller.abort()
}
