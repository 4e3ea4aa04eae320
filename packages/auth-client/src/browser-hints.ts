/** Listens for changes that happened while the page was away; returns a function that stops it. */
export function listenToBrowser(changed: () => void, online: () => void): () => void {
  if (typeof window === 'undefined' || typeof document === 'undefined') return () => {}
  const controller = new AbortController()
  const { signal } = controller
  // A page that comes back from the back/forward cache got no storage events while it was there.
  for (const type of ['storage', 'pageshow']) window.addEventListener(type, changed, { signal })
  window.addEventListener('online', online, { signal })
  document.addEventListener('visibilitychange', changed, { signal })
  return () => controller.abort()
}
