/** Runs something once the page has nothing better to do, a few seconds from now at the latest. */
export function whenIdle(run: () => void) {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 3000 })
  else setTimeout(run, 1000)
}
