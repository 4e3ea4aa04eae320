const prefix = 'grove.draft.'
const isSecret = /password|secret|token/i

const keys = () => {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  } catch {
    // Storage is denied: there are no drafts.
    return []
  }
}

/** Drafts belong to one tab, one person and one form of one page. */
export const draftKey = (owner: string, path: string, form: string) =>
  `${prefix}${owner} ${path} ${form}`

export function readDraft(key: string): object | undefined {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    return typeof draft === 'object' && draft !== null ? draft : undefined
  } catch {
    return undefined
  }
}

export function writeDraft(key: string, draft: object) {
  const text = JSON.stringify(draft, (name, value: unknown) =>
    isSecret.test(name) ? undefined : value,
  )
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // Storage is denied or full: the form works without a draft.
  }
}

export const dropDraft = (key: string) => {
  if (keys().includes(key)) sessionStorage.removeItem(key)
}

/** Removes every draft, or those of everyone but one person. */
export function dropDrafts(except?: string) {
  for (const key of keys()) {
    if (except === undefined || !key.startsWith(`${prefix}${except} `))
      sessionStorage.removeItem(key)
  }
}
