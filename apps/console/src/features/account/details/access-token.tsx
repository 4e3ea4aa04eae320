import { Trans, useLingui } from '@lingui/react/macro'
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import styles from './access-token.module.css'

/** The token itself: hidden until requested, since it gives access to the account. */
export function AccessToken({ value }: { value: string }) {
  const { t } = useLingui()
  const [isShown, setShown] = useState(false)
  return (
    <div className={styles.token}>
      <div className={styles.head}>
        <button
          type="button"
          className="button small"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
          {isShown ? <Trans>Hide</Trans> : <Trans>Show</Trans>}
        </button>
        <CopyButton value={value} label={t`Copy the access token`} />
      </div>
      {isShown ? (
        <code className={styles.value}>{value}</code>
      ) : (
        <>
          <span className={styles.value} aria-hidden>
            {'•'.repeat(24)}
          </span>
          <span className="visually-hidden">{t`The token is hidden.`}</span>
        </>
      )}
    </div>
  )
}
