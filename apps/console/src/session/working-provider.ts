import type { WorkingProvider } from '@grove/contract/cedar/derived-role.rules'
import { useSyncExternalStore } from 'react'
import { readTab, writeTab } from '../api/tab-storage.ts'

const key = 'grove.provider'
const listeners = new Set<() => void>()
let text: string | undefined = readTab(key)
let kept: (WorkingProvider & { userId: string | null }) | undefined = parse(text)

function parse(json: string | undefined) {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * The provider that this person works with in this tab; not shared with anyone else who signs in
 * here.
 */
export const workingProvider = (userId: string | null): WorkingProvider | undefined =>
  kept?.userId === userId ? kept : undefined

/** Keeps the choice as long as the tab. */
export function chooseProvider(userId: string | null, provider: WorkingProvider | undefined) {
  const next = provider && {
    userId,
    id: provider.id,
    isDefault: provider.isDefault,
    mobyApiKey: provider.mobyApiKey ?? null,
  }
  text = next && JSON.stringify(next)
  kept = next
  writeTab(key, text)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useWorkingProvider = (userId: string | null) =>
  useSyncExternalStore(subscribe, () => workingProvider(userId))
