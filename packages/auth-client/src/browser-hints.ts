/** Listens for what may have changed while nobody looked; returns the function that stops it. */
export function listenToBrowser(hints: { changed: () => void; online: () => void }): () => void {
  if (typeof window === 'undefined' || typeof document === 'undefined') return () => {}
  const { changed, online } = hints
  const seen = () => {
    if (document.visibilityState === 'visible') changed()
  }
  // A page that comes back from the back/forward cache got no storage events while it was there.
  window.addEventListener('storage', changed)
  window.addEventListener('pageshow', changed)
  window.addEventListener('online', online)
  document.addEventListener('visibilitychange', seen)
  return () => {
    window.removeEventListener('storage', changed)
    window.removeEventListener('pageshow', changed)
    window.removeEventListener('online', online)
    document.removeEventListener('visibilitychange', seen)
  }
}
