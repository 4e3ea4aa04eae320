import { useSyncExternalStore } from 'react'

export type ColourScheme = 'light' | 'dark' | 'auto'

const key = 'grove.scheme'
const listeners = new Set<() => void>()

// `early.js` has put the choice on the document element; styles read it from there.
const read = (): ColourScheme => {
  const { scheme } = document.documentElement.dataset
  return scheme === 'light' || scheme === 'dark' ? scheme : 'auto'
}

const apply = (scheme: ColourScheme) => {
  if (scheme === 'auto') delete document.documentElement.dataset['scheme']
  else document.documentElement.dataset['scheme'] = scheme
  for (const listener of listeners) listener()
}

export function chooseColourScheme(scheme: ColourScheme) {
  apply(scheme)
  try {
    if (scheme === 'auto') localStorage.removeItem(key)
    else localStorage.setItem(key, scheme)
  } catch {
    // Storage denied: the choice lasts as long as the page.
  }
}

const subscribe = (listener: () => void) => {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== key) return
    apply(event.newValue === 'light' || event.newValue === 'dark' ? event.newValue : 'auto')
  }
  listeners.add(listener)
  addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', onStorage)
  }
}

export const useColourScheme = () => useSyncExternalStore(subscribe, read)
