import { useLocation } from '@tanstack/react-router'
import { createContext, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { draftKey, dropDraft, readDraft, writeDraft } from './drafts.ts'
import { dropDrafts } from './drop-drafts.ts'

/** Whose drafts are kept; none if absent. */
export const DraftOwner = createContext<string | null>(null)

/** Removes what another person left in this tab. */
export function useDropForeignDrafts(owner: string | null) {
  useEffect(() => {
    if (owner !== null) dropDrafts(owner)
  }, [owner])
}

interface DraftedForm {
  isDirty: boolean
  snapshot: object
  restore: (draft: object) => boolean
  onSettled: (listener: () => void) => () => void
}

/**
 * Keeps what is typed until it is saved or discarded: it survives a reload, an ended session and a
 * sign-out in another tab. Returns whether the form holds the input of an earlier visit.
 */
export function useDraft(form: DraftedForm, name: string | undefined) {
  const owner = use(DraftOwner)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const [key] = useState(() =>
    owner === null || name === undefined ? undefined : draftKey(owner, path, name),
  )
  const [isRestored, setRestored] = useState(false)
  const wasDirty = useRef(false)
  const { isDirty, snapshot, restore, onSettled } = form
  const text = JSON.stringify(snapshot)

  const restoreOnce = useRef(restore)
  useLayoutEffect(() => {
    const draft = key === undefined ? undefined : readDraft(key)
    if (draft && restoreOnce.current(draft)) setRestored(true)
  }, [key])

  useEffect(() => {
    if (key === undefined) return
    if (isDirty) writeDraft(key, JSON.parse(text) as object)
    // Not before the draft is restored, while the form is still unchanged.
    else if (wasDirty.current) dropDraft(key)
    wasDirty.current = isDirty
  }, [key, isDirty, text])

  const drop = () => {
    if (key !== undefined) dropDraft(key)
    setRestored(false)
  }
  useEffect(() => onSettled(drop))

  return { isRestored: isRestored && isDirty, drop }
}
