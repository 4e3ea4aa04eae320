import { useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { dismiss, readNotifications, watchNotifications, type Notification } from './notify.ts'
import styles from './notification-host.module.css'

// Long enough to read and to reach for Undo.
const shownFor = 6000
/** After the pointer has left it. */
const leastMs = 2000

/** Shows the notifications. Always mounted, so that a screen reader announces a new one. */
export function NotificationHost() {
  const shown = useSyncExternalStore(watchNotifications, readNotifications)
  const modal = useTopModal(shown.length > 0)
  const { t } = useLingui()
  const host = (
    <section className={styles.host} aria-live="polite" aria-label={t`Notifications`}>
      {shown.map((notification) => (
        <NotificationCard key={notification.id} notification={notification} />
      ))}
    </section>
  )
  return modal ? createPortal(host, modal) : host
}

/** The topmost modal dialog, followed while there is something to show: what is behind it is inert. */
function useTopModal(isNeeded: boolean) {
  const [modal, setModal] = useState<Element>()
  useEffect(() => {
    if (!isNeeded) return
    const find = () => setModal([...document.querySelectorAll('dialog:modal')].at(-1))
    find()
    const observer = new MutationObserver(find)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['open'] })
    return () => {
      observer.disconnect()
      setModal(undefined)
    }
  }, [isNeeded])
  return modal
}

function NotificationCard({ notification }: { notification: Notification }) {
  const { t } = useLingui()
  const [isHeld, setHeld] = useState(false)
  const [least, setLeast] = useState(0)
  const release = () => {
    setHeld(false)
    setLeast(leastMs)
  }
  const { id, at, text, kind = 'success', isLasting, action } = notification
  const stays = kind === 'failure' || notification.stays

  useEffect(() => {
    if (isHeld || stays) return
    const timer = setTimeout(() => dismiss(id), Math.max(at + shownFor - Date.now(), least))
    return () => clearTimeout(timer)
  }, [id, at, least, isHeld, stays])

  return (
    <div
      className={styles.card}
      data-kind={kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={release}
      onFocus={() => setHeld(true)}
      onBlur={release}
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
      {!isLasting && (
        <button
          type="button"
          className="button quiet icon small"
          aria-label={t`Dismiss`}
          onClick={() => dismiss(id)}
        >
          <X size={14} />
        </button>
      )}
    </div>
  )
}
