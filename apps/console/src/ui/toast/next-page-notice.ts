export interface NextPageNotice {
  text: string
  kind: 'success' | 'failure'
}

let current: NextPageNotice | undefined
const listeners = new Set<() => void>()

const set = (next: NextPageNotice | undefined) => {
  current = next
  for (const listener of listeners) listener()
}

/** Shows a message on the page that opens next, such as the result of a sign-in. */
export const notifyNextPage = (text: string, kind: NextPageNotice['kind'] = 'success') =>
  set({ text, kind })
export const dismissNextPageNotice = () => set(undefined)

export const readNextPageNotice = () => current
export const watchNextPageNotice = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
