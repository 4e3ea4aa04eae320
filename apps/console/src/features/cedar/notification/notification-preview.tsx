import type { NotificationText } from '@grove/contract/cedar/notification.rules'
import { useLingui } from '@lingui/react/macro'
import styles from './notification.module.css'

interface NotificationPreviewProps {
  app: string
  texts: readonly NotificationText[]
}

const systems = [
  ['android', 'Android'],
  ['ios', 'iOS'],
] as const

/** The notification as both systems show it, truncated where they truncate it. */
export function NotificationPreview({ app, texts }: NotificationPreviewProps) {
  const { t } = useLingui()
  return (
    <section className={styles.previews} aria-label={t`Preview`}>
      {texts.flatMap(({ localeCode, title, body }) =>
        systems.map(([os, name]) => (
          <div
            key={`${localeCode} ${os}`}
            className={styles.preview}
            data-os={os}
            lang={localeCode}
          >
            <span className={styles.head}>
              <bdi>{os === 'ios' ? app.toUpperCase() : app}</bdi>
              <span>{name}</span>
            </span>
            <span className={styles.title}>{title}</span>
            <span className={styles.text}>{body}</span>
          </div>
        )),
      )}
    </section>
  )
}
