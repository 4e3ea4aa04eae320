import { draftKeys, draftPrefix } from './drop-drafts.ts'

const isSecret = /password|secret|token/i

/** A draft belongs to one tab, one person and one form of one page. */
export const draftKey = (owner: string, path: string, form: string) =>
  `${draftPrefix}${owner} ${path} ${form}`

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
  if (draftKeys().includes(key)) sessionStorage.removeItem(key)
}
