export const recentPrefix = 'grove.recent.'

/** Removes what everyone opened: the next person at this machine sees nothing of this one. */
export function dropRecent() {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(recentPrefix)) localStorage.removeItem(key)
  } catch {
    // Storage is denied: nothing was kept.
  }
}
