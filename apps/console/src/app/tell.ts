export interface Told {
  text: string
  kind: 'success' | 'failure'
}

let told: Told | undefined
const listeners = new Set<() => void>()

const set = (next: Told | undefined) => {
  told = next
  for (const listener of listeners) listener()
}

/** Says what a sign-in brought along on the page that comes next, whichever it is. */
export const tell = (text: string, kind: Told['kind'] = 'success') => set({ text, kind })
export const dismissTold = () => set(undefined)

export const readTold = () => told
export const watchTold = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
