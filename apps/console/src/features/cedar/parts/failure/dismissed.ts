const key = 'grove.cedar.failures-dismissed'

/** The time of the newest failure that the reader of this browser has dismissed. */
export function readDismissed(): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

export function storeDismissed(at: string): void {
  try {
    localStorage.setItem(key, at)
  } catch {
    // Without storage it comes back on the next visit.
  }
}
