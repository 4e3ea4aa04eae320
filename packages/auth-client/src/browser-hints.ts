/** Listens for changes that happened while the page was away; returns a function that stops it. */
export function listenToBrowser(changed: (event: Event) => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  // A page that comes back from the back/forward cache got no storage events while it was there.
  for (const type of ['storage', 'pageshow', 'visibilitychange', 'online'])
    globalThis.window?.addEventListener(type, changed, { signal })
  return () => controller.abort()
}
