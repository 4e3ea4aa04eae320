import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { useSyncExternalStore } from 'react'
import { readTab, writeTab } from '../api/tab-storage.ts'

interface Kept {
  userId: string
  rights: readonly MapleRight[]
}

const key = 'grove.maple-rights'
const listeners = new Set<() => void>()
const none: readonly MapleRight[] = []
let kept = parse(readTab(key))

function parse(json: string | undefined): Kept | undefined {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What a Maple account allows this person on the pages that need no working stage. */
export const mapleRights = (userId: string | null): readonly MapleRight[] =>
  userId !== null && kept?.userId === userId ? kept.rights : none

/** Kept as long as the tab, so that the next page has them immediately. */
export function keepMapleRights(userId: string, rights: readonly MapleRight[]) {
  kept = { userId, rights }
  writeTab(key, rights.length > 0 ? JSON.stringify(kept) : undefined)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useMapleRights = (userId: string | null) =>
  useSyncExternalStore(subscribe, () => mapleRights(userId))
