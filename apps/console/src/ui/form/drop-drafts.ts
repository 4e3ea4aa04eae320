export const draftPrefix = 'grove.draft.'

export const draftKeys = () => {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(draftPrefix))
  } catch {
    // Storage is denied, so there are no drafts.
    return []
  }
}

/** Removes every draft, or all except those of one person. */
export function dropDrafts(except?: string) {
  for (const key of draftKeys()) {
    if (except === undefined || !key.startsWith(`${draftPrefix}${except} `))
      sessionStorage.removeItem(key)
  }
}
