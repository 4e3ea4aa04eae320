import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useAttempt } from '../../../ui/toast/use-attempt.ts'
import styles from './bulk-progress.module.css'

type State = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

export interface Bulk {
  state: State
  /** null until the job has counted what it changes. */
  total: number | null
  changed: number
  unchanged: number
  refused: number
}

export const isEnded = ({ state }: { state: State }) => state !== 'queued' && state !== 'running'

interface BulkProgressProps {
  bulk: Bulk
  /** It is unknown whether it continues. */
  isLost: boolean
  title: string
  hasResults: boolean
  /** Shown while the change runs. */
  note: ReactNode
  /** Downloads a file with the result of each item. */
  onDownload: () => Promise<{ blob: Blob; fileName?: string | undefined }>
  /** The file name if the server gives none. */
  fileName: string
  onCancel: () => Promise<unknown>
  onClose: () => void
}

/** The progress of a bulk change, with its results. It continues when the dialog is closed. */
export function BulkProgress(props: BulkProgressProps) {
  const { bulk, isLost, title, hasResults, note, onDownload, onCancel, onClose } = props
  const { t, i18n } = useLingui()
  const { changed, unchanged, refused, total } = bulk
  const done = changed + unchanged + refused
  const hasEnded = isEnded(bulk)
  const attempt = useAttempt()
  const save = async () => {
    const { blob, fileName = props.fileName } = await onDownload()
    const { saveFile } = await import('../../../ui/file/save-file.ts')
    saveFile(blob, fileName)
  }
  return (
    <Dialog title={title} closeLabel={t`Close`} onClose={onClose}>
      <div className={styles.content}>
        {(total !== null || !hasEnded) && (
          <progress
            {...(total !== null && { max: Math.max(1, total), value: total === 0 ? 1 : done })}
            aria-label={title}
          />
        )}
        <output className={styles.counts}>
          {total !== null && (
            <span>
              <Trans>
                {i18n.number(done)} of {i18n.number(total)} done
              </Trans>
            </span>
          )}
          <span>
            <Plural value={changed} one="# changed" other="# changed" />
          </span>
          {unchanged > 0 && (
            <span>
              <Plural value={unchanged} one="# unchanged" other="# unchanged" />
            </span>
          )}
          {refused > 0 && (
            <span className={styles.failed}>
              <Plural value={refused} one="# cannot be changed" other="# cannot be changed" />
            </span>
          )}
        </output>
        {!hasEnded && !isLost && <p className="muted">{note}</p>}
        <div className="dialog-actions">
          {done > 0 && hasResults && (
            <button type="button" className="button" onClick={() => void attempt(save)}>
              <Download size={16} aria-hidden />
              <Trans>Results as CSV</Trans>
            </button>
          )}
          {!hasEnded && (
            <button type="button" className="button" onClick={() => void attempt(onCancel)}>
              <Trans>Cancel the change</Trans>
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
