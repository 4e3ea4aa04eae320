export interface NotifyOptions {
  text: string
  kind?: 'success' | 'failure'
  /** What the button says and does; offered until the notification leaves. */
  action?: { label: string; run: () => void | Promise<void> }
  /** Stays until it is closed; so does a failure. */
  stays?: boolean
  /** Says how things are: it stays until they change, and its reader cannot close it. */
  isLasting?: boolean
}

export interface Notification extends NotifyOptions {
  id: number
  /** When it was said: one that moves into a dialog is not shown for longer. */
  at: number
}

const maxShown = 3

let notifications: readonly Notification[] = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: readonly Notification[]) => {
  notifications = next
  for (const listener of listeners) listener()
}

/** Says in passing that something happened; answers what `dismiss` takes. */
export function notify(options: NotifyOptions) {
  lastId += 1
  const all = [...notifications, { ...options, id: lastId, at: Date.now() }]
  set(all.filter(({ isLasting }, index) => isLasting || index >= all.length - maxShown))
  return lastId
}

/** Says on the page that opens next how something ended, such as a sign-in. */
export const notifyNextPage = (text: string, kind: NotifyOptions['kind'] = 'success') =>
  notify({ text, kind, stays: true })

export const dismiss = (id: number) => set(notifications.filter((shown) => shown.id !== id))

/** The next person at this machine reads nothing of this one. */
export const dismissAll = () => set([])

export const readNotifications = () => notifications
export const watchNotifications = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
