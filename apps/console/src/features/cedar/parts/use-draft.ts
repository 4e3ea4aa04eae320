import { useState } from 'react'
import { isSameDraft, toDraft, type Draft, type Translation } from './translations.ts'

export interface Saved {
  translations: readonly Translation[]
  revision: number
}

/**
 * Texts being edited over those that were read. `revision` is that of the texts the edit began
 * with: when someone else changes them meanwhile, it stays behind and the save is refused.
 */
export function useDraft(saved: Saved) {
  const [base, setBase] = useState(saved)
  const [draft, setDraft] = useState(() => toDraft(saved.translations))
  const isDirty = !isSameDraft(draft, toDraft(base.translations))

  if (saved.revision !== base.revision) {
    // An upload or a switch raises the revision and leaves the texts: no conflict with them.
    const isUntouched = isSameDraft(toDraft(saved.translations), toDraft(base.translations))
    if (isUntouched || !isDirty) setBase(saved)
    if (!isUntouched && !isDirty) setDraft(toDraft(saved.translations))
  }

  /** Takes what the service saved or holds; what was typed since `from` was sent is kept. */
  const rebase = (next: Saved, from?: Draft) => {
    setBase(next)
    setDraft((current) =>
      from && !isSameDraft(current, from) ? current : toDraft(next.translations),
    )
  }

  return { draft, setDraft, isDirty, revision: base.revision, rebase }
}
