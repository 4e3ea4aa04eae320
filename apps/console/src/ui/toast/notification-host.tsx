import { useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { dismiss, readNotifications, watchNotifications, type Notification } from './notify.ts'
import styles from './notification-host.module.css'

// Long enough to read and to reach for Undo.
const shownFor = 6000

/** Shows the notifications. Always mounted, so that a screen reader announces a new one. */
export function NotificationHost() {
  const shown = useSyncExternalStore(watchNotifications, readNotifications)
  const { t } = useLingui()
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
  const stays = kind === 'failure' || notification.stays

  useEffect(() => {
    if (isHeld || stays) return
    const timer = setTimeout(() => dismiss(id), shownFor)
    return () => clearTimeout(timer)
  }, [id, isHeld, stays])

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
