import { iconLimits, megabytes } from '@grove/contract/cedar/storage.rules'
import { useLingui } from '@lingui/react/macro'
import { Pencil } from 'lucide-react'
import { useFileChoice } from '../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../ui/file/use-file-drop.ts'
import { notify } from '../../../ui/toast/notify.ts'
import { imageProblemText, imageTypes, refusalOf } from './image-problem.ts'
import { ProductIcon } from './product-icon.tsx'
import { isWorthRetrying } from './retry.ts'
import { useFileUpload, type Transfer } from './use-file-upload.ts'
import { useUploadGuard } from './use-upload-guard.ts'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from './icon-upload.module.css'

interface IconUploadProps<Saved> {
  iconUrl: string | null
  upload: (file: File, transfer: Transfer) => Promise<Saved>
  onSaved: (saved: Saved) => void
}

/** The icon and how to change it: choose a file or drop one on it. */
export function IconUpload<Saved>({ iconUrl, upload, onSaved }: IconUploadProps<Saved>) {
  const { leastSide, maxSide } = iconLimits
  const size = megabytes(iconLimits.bytes)
  const { t, i18n } = useLingui()

  const { state, start, cancel, dismiss } = useFileUpload(
    async (file, transfer) => {
      const refusal = await refusalOf(file, iconLimits)
      if (refusal) throw refusal
      return upload(file, transfer)
    },
    (saved) => {
      onSaved(saved)
      notify({ text: t`The icon is changed.` })
    },
  )
  const isSending = state.status === 'sending'
  useUploadGuard(isSending)
  const take = ([file]: File[]) => file && start(file)
  const { isOver, dropProps } = useFileDrop({ onFiles: take, isDisabled: isSending })
  const { choose, input } = useFileChoice({ accept: imageTypes, onFiles: take })
  const label = iconUrl ? t`Change the icon` : t`Add an icon`

  return (
    <div className={styles.frame} {...dropProps}>
      <button
        type="button"
        id="app-icon"
        className={styles.tile}
        data-over={isOver || undefined}
        aria-label={label}
        {...tooltip(
          t`${label}: PNG or JPEG, square, ${leastSide} to ${maxSide} pixels, up to ${size} MB. Choose a file or drop it here.`,
        )}
        aria-disabled={isSending}
        onClick={() => !isSending && choose()}
      >
        <ProductIcon url={iconUrl} size={64} />
        <span className={styles.pencil}>
          <Pencil size={12} aria-hidden />
        </span>
      </button>
      {input}
      {isSending && (
        <div className={styles.note}>
          <progress
            aria-label={t`Uploading the icon`}
            {...(state.loaded < state.total ? { value: state.loaded, max: state.total } : {})}
          />
          <button type="button" className="button small" onClick={cancel}>
            {t`Cancel`}
          </button>
        </div>
      )}
      {state.status === 'failed' && (
        <div className={styles.note} role="alert">
          <p className="field-error">
            {state.file.name}: {imageProblemText(state.error, iconLimits, i18n)}
          </p>
          {isWorthRetrying(state.error) && (
            <button type="button" className="button small" onClick={() => start(state.file)}>
              {t`Try again`}
            </button>
          )}
          <button type="button" className="button small" onClick={choose}>
            {t`Choose another file`}
          </button>
          <button type="button" className="button small quiet" onClick={dismiss}>
            {t`Close`}
          </button>
        </div>
      )}
    </div>
  )
}
