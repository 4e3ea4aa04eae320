export interface NotifyOptions {
  text: string
  kind?: 'success' | 'failure'
  /** The button's label and action; available until the notification disappears. */
  action?: { label: string; run: () => void | Promise<void> }
  /** Stays until it is closed; so does a failure. */
  stays?: boolean
  /** Describes a condition: it stays until that changes, and its reader cannot close it. */
  isLasting?: boolean
}

export interface Notification extends NotifyOptions {
  id: number
  /** When it was first shown: moving into a dialog does not prolong it. */
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

/** Shows a notification for a moment; returns what `dismiss` takes. */
export function notify(options: NotifyOptions) {
  lastId += 1
  // The same again replaces the former, except where each can undo something.
  const others = notifications.filter(
    ({ text, action, isLasting }) =>
      text !== options.text || action !== undefined || options.action !== undefined || isLasting,
  )
  const all = [...others, { ...options, id: lastId, at: Date.now() }]
  set(all.filter(({ isLasting }, index) => isLasting || index >= all.length - maxShown))
  return lastId
}

/** Shows the result of something, such as a sign-in, on the page that opens next. */
export const notifyNextPage = (text: string, kind: NotifyOptions['kind'] = 'success') =>
  notify({ text, kind, stays: true })

export const dismiss = (id: number) => set(notifications.filter((shown) => shown.id !== id))

/** The next person on this machine must not read it. */
export const dismissAll = () => set([])

export const readNotifications = () => notifications
export const watchNotifications = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
