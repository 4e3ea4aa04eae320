import { useLingui } from '@lingui/react/macro'
import { CopyButton } from '../text/copy-button.tsx'
import { Dialog } from './dialog.tsx'
import styles from './secret-dialog.module.css'

interface SecretDialogProps {
  title: string
  /** What it is for, and that it is not shown again. */
  text: string
  secret: string
  /** The user name that belongs to it. */
  user?: string | undefined
  onClose: () => void
}

/** A secret that the service shows once. Escape does not close it: a slip would lose the secret. */
export function SecretDialog({ title, text, secret, user, onClose }: SecretDialogProps) {
  const { t } = useLingui()
  return (
    <Dialog title={title} onClose={() => {}}>
      <p>{text}</p>
      {user !== undefined && (
        <>
          <p>{t`User name at the broker`}</p>
          <div className={styles.secret}>
            <code>{user}</code>
            <CopyButton value={user} label={t`Copy the user name`} />
          </div>
          <p>{t`Secret, which is the password there`}</p>
        </>
      )}
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton value={secret} />
      </div>
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onClose}>
          {t`I have copied it`}
        </button>
      </div>
    </Dialog>
  )
}
