import { use, useRef } from 'react'
import { DraftOwner } from '../../../../../ui/form/use-draft.ts'
import { draftKey, readDraft, writeDraft } from '../../../../../ui/form/drafts.ts'

const maxKept = 50

/**
 * What one person sent from the field `name` in this tab, in any session, newest first. The arrow
 * keys step through it, and `show` puts a line into the field. Secrets must not be added.
 */
export function useLines(name: string, show: (line: string) => void) {
  const owner = use(DraftOwner)
  const key = owner === null ? undefined : draftKey(owner, 'sent', name)
  const kept = useRef<string[]>(undefined)
  const place = useRef(0)
  const lines = () => (kept.current ??= key === undefined ? [] : linesOf(readDraft(key)))
  return {
    add(line: string) {
      place.current = 0
      if (line === '') return
      kept.current = [line, ...lines().filter((each) => each !== line)].slice(0, maxKept)
      if (key !== undefined) writeDraft(key, { lines: kept.current })
    },
    /**
     * Only while the field is empty or shows a sent line: otherwise the arrow keys belong to the
     * text.
     */
    back(text: string): boolean {
      const next = lines()[place.current]
      const isOwn = text === '' || text === lines()[place.current - 1]
      if (next === undefined || !isOwn) return false
      place.current++
      show(next)
      return true
    },
    forth(): boolean {
      if (place.current === 0) return false
      place.current--
      show(lines()[place.current - 1] ?? '')
      return true
    },
  }
}

/** A draft of another release can have any shape. */
function linesOf(draft: object | undefined): string[] {
  const lines: unknown = draft && 'lines' in draft ? draft.lines : []
  return Array.isArray(lines) ? lines.filter((each) => typeof each === 'string') : []
}
