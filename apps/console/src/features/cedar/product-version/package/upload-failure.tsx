import { useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import styles from './upload-failure.module.css'

interface UploadFailureProps {
  text: string
  files: readonly File[]
  onRetry: (() => void) | undefined
  onClose: () => void
  /** The refusal of an earlier file. */
  earlier: ReactNode
}

/** Why a file was not sent or not received; an earlier refusal is folded in. */
export function UploadFailure({ text, files, onRetry, onClose, earlier }: UploadFailureProps) {
  const { t, i18n } = useLingui()
  return (
    <div className={styles.failure}>
      <div className={styles.head} role="alert">
        <TriangleAlert size={16} aria-hidden />
        <div>
          <p>{text}</p>
          <ul className="muted">
            {files.map((file, index) => (
              <li key={index}>
                <bdi>{file.name}</bdi>, {formatBytes(file.size, i18n.locale)}
              </li>
            ))}
          </ul>
        </div>
        {onRetry && (
          <button type="button" className="button small" onClick={onRetry}>
            {t`Try again`}
          </button>
        )}
        <button type="button" className="button small" onClick={onClose}>
          {t`Close`}
        </button>
      </div>
      {earlier}
    </div>
  )
}
