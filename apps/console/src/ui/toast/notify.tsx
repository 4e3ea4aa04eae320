import { useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import styles from './notify.module.css'

export interface NotifyOptions {
  text: string
  kind?: 'success' | 'failure'
  /** What the button says and does; offered until the notification leaves. */
  action?: { label: string; run: () => void | Promise<void> }
}

interface Notification extends NotifyOptions {
  id: number
}

// Long enough to read and to reach for Undo; a failure stays until it is closed.
const shownFor = 6000
const mostShown = 3

let notifications: readonly Notification[] = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: readonly Notification[]) => {
  notifications = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => set(notifications.filter((shown) => shown.id !== id))

/** Tells the reader, in passing, that something happened. */
export function notify(options: NotifyOptions) {
  lastId += 1
  set([...notifications, { ...options, id: lastId }].slice(-mostShown))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Shows what `notify` was told; mounted once, by the shell. */
export function NotificationHost() {
  const shown = useSyncExternalStore(subscribe, () => notifications)
  const { t } = useLingui()
  // Whoever signs in next on this page is told nothing of what was done before.
  useEffect(() => () => set([]), [])
  return (
    <section className={styles.host} aria-live="polite" aria-label={t`Notifications`}>
      {shown.map((notification) => (
        <NotificationCard key={notification.id} notification={notification} />
      ))}
    </section>
  )
}

function NotificationCard({ notification }: { notification: Notification }) {
  const { t } = useLingui()
  const [isHeld, setHeld] = useState(false)
  const { id, text, kind = 'success', action } = notification

  useEffect(() => {
    if (isHeld || kind === 'failure') return
    const timer = setTimeout(() => dismiss(id), shownFor)
    return () => clearTimeout(timer)
  }, [id, isHeld, kind])

  return (
    <div
      className={styles.card}
      data-kind={kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {kind === 'success' ? (
        <CircleCheck size={16} aria-hidden />
      ) : (
        <TriangleAlert size={16} aria-hidden />
      )}
      <p>{text}</p>
      {action && (
        <button
          type="button"
          className="button quiet small"
          onClick={() => {
            dismiss(id)
            void action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        className="button quiet icon small"
        aria-label={t`Dismiss`}
        onClick={() => dismiss(id)}
      >
        <X size={14} />
      </button>
    </div>
  )
}
