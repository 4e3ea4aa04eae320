import { useEffect, useSyncExternalStore } from 'react'

interface SharedLink {
  title: string
  url: string
}

let current: SharedLink | undefined
const listeners = new Set<() => void>()

const set = (link: SharedLink | undefined) => {
  current = link
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** While the page is shown, the header shares this instead of the page's own URL. */
export function useSharedLink(title: string, url: string | undefined) {
  useEffect(() => {
    set(url === undefined ? undefined : { title, url })
    return () => set(undefined)
  }, [title, url])
}

export const useCurrentSharedLink = () => useSyncExternalStore(subscribe, () => current)
