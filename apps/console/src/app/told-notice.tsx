import { useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { dismissTold, readTold, watchTold } from './tell.ts'
import styles from './told-notice.module.css'

/** Shows what `tell` was given. Always present, so that a screen reader hears it when it is filled. */
export function ToldNotice() {
  const { t } = useLingui()
  const told = useSyncExternalStore(watchTold, readTold)
  return (
    <output className={styles.host}>
      {told && (
        <span className={styles.notice} data-kind={told.kind}>
          {told.kind === 'success' ? (
            <CircleCheck size={16} aria-hidden />
          ) : (
            <TriangleAlert size={16} aria-hidden />
          )}
          {told.text}
          <button
            type="button"
            className="button quiet icon small"
            aria-label={t`Close the message`}
            onClick={dismissTold}
          >
            <X size={14} />
          </button>
        </span>
      )}
    </output>
  )
}
