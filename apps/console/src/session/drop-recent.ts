export const recentPrefix = 'grove.recent.'

/** Removes everyone's recent items: the next person on this machine sees nothing of this one. */
export function dropRecent() {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(recentPrefix)) localStorage.removeItem(key)
  } catch {
    // Storage is denied, so nothing was kept.
  }
}
