import { useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import {
  dismissNextPageNotice,
  readNextPageNotice,
  watchNextPageNotice,
} from './next-page-notice.ts'
import styles from './next-page-notice-host.module.css'

/** Shows the notice. Always mounted, so that a screen reader announces its new text. */
export function NextPageNoticeHost() {
  const { t } = useLingui()
  const notice = useSyncExternalStore(watchNextPageNotice, readNextPageNotice)
  return (
    <output className={styles.host}>
      {notice && (
        <span className={styles.notice} data-kind={notice.kind}>
          {notice.kind === 'success' ? (
            <CircleCheck size={16} aria-hidden />
          ) : (
            <TriangleAlert size={16} aria-hidden />
          )}
          {notice.text}
          <button
            type="button"
            className="button quiet icon small"
            aria-label={t`Close the message`}
            onClick={dismissNextPageNotice}
          >
            <X size={14} />
          </button>
        </span>
      )}
    </output>
  )
}
