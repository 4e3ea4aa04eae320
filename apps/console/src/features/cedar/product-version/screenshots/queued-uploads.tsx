import { screenshotLimits } from '@grove/contract/cedar/storage.rules'
import { useLingui } from '@lingui/react/macro'
import { RotateCcw, X } from 'lucide-react'
import { imageProblemText } from '../../parts/image-problem.ts'
import { isWorthRetrying } from '../../parts/retry.ts'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import styles from './queued-uploads.module.css'
import type { QueuedFile } from './use-upload-queue.ts'

interface QueuedUploadsProps {
  queue: readonly QueuedFile[]
  retry: (id: number) => void
  remove: (id: number) => void
}

/** Pending and failed files, each with its own progress or reason. */
export function QueuedUploads({ queue, retry, remove }: QueuedUploadsProps) {
  const { t, i18n } = useLingui()
  if (queue.length === 0) return null
  return (
    <ul className={styles.queue}>
      {queue.map(({ id, file, status, loaded, total, error }) => (
        <li key={id}>
          <span className={styles.name}>{file.name}</span>
          {status === 'failed' ? (
            <span className={styles.error} role="alert">
              {imageProblemText(error, screenshotLimits, i18n)}
            </span>
          ) : (
            <progress
              aria-label={t`Upload of ${file.name}`}
              {...(status === 'sending' && loaded >= total ? {} : { value: loaded, max: total })}
            />
          )}
          {status === 'failed' && isWorthRetrying(error) && (
            <button
              type="button"
              className="button quiet icon small"
              aria-label={t`Retry ${file.name}`}
              {...tooltip(t`Try again`)}
              onClick={() => retry(id)}
            >
              <RotateCcw size={14} aria-hidden />
            </button>
          )}
          <button
            type="button"
            className="button quiet icon small"
            aria-label={status === 'failed' ? t`Dismiss ${file.name}` : t`Cancel ${file.name}`}
            {...tooltip(status === 'failed' ? t`Dismiss` : t`Cancel`)}
            onClick={() => remove(id)}
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
