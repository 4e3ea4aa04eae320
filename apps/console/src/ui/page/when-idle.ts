/** Runs something when the page is idle, or after a few seconds at the latest. */
export function whenIdle(run: () => void) {
  // Safari has no idle callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 3000 })
  else setTimeout(run, 1000)
}
