import type { ProductVersion } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { TriangleAlert, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { keepVersion } from '../../parts/product.api.ts'
import { isWorthRetrying } from '../../parts/retry.ts'
import { useFileDrop } from '../../parts/use-file-drop.ts'
import { useFileUpload } from '../../parts/use-file-upload.ts'
import { useUploadGuard } from '../../parts/use-upload-guard.ts'
import { packageProblemText, packageRefusal } from './package-problem.ts'
import styles from './package-upload.module.css'
import { UploadProgress } from './upload-progress.tsx'

/** Where a package is dropped or chosen, and how its upload goes. */
export function PackageUpload({ version }: { version: ProductVersion }) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const { productVersionId } = version
  const [announcement, setAnnouncement] = useState('')

  const { state, start, cancel, dismiss } = useFileUpload(
    async (file, transfer) => {
      const refusal = packageRefusal(file)
      if (refusal) throw refusal
      const path = '/api/storage/productVersion/miniApp'
      return api.cedar.upload(path, { fields: { productVersionId }, file, ...transfer })
    },
    (changed) => {
      keepVersion(queryClient, changed)
      // A refusal needs no passing word: the report below stays.
      setAnnouncement(changed.report?.ok === false ? t`The package was refused` : '')
      if (changed.report?.ok) notify({ text: t`The package is uploaded and passed its checks.` })
    },
  )
  const isSending = state.status === 'sending'
  useUploadGuard(isSending)
  const take = ([file]: File[]) => file && start(file)
  const { isOver, dropProps } = useFileDrop({ onFiles: take, isDisabled: isSending })
  const choose = () => input.current?.click()

  return (
    <div {...dropProps}>
      <output className="visually-hidden">{announcement}</output>
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,.ma,application/zip"
        onChange={({ target }) => {
          take([...(target.files ?? [])])
          // The same file chosen again is a change too.
          target.value = ''
        }}
      />
      {state.status === 'sending' ? (
        <UploadProgress
          fileName={state.file.name}
          loaded={state.loaded}
          total={state.total}
          samples={state.samples}
          onCancel={cancel}
        />
      ) : (
        <div className={styles.drop} data-over={isOver || undefined}>
          {state.status === 'failed' ? (
            <div className={styles.failure} role="alert">
              <TriangleAlert size={20} aria-hidden />
              <p>{packageProblemText(state.error, i18n)}</p>
              <p className="muted">
                {state.file.name}, {formatBytes(state.file.size, i18n.locale)}
              </p>
              <div className="actions">
                {isWorthRetrying(state.error) && (
                  <button
                    type="button"
                    className="button primary"
                    onClick={() => start(state.file)}
                  >
                    {t`Try again`}
                  </button>
                )}
                <button type="button" className="button" onClick={choose}>
                  {t`Choose another file`}
                </button>
                <button type="button" className="button quiet" onClick={dismiss}>
                  {t`Close`}
                </button>
              </div>
            </div>
          ) : (
            <>
              <Upload size={20} aria-hidden />
              <p>
                {version.package ? (
                  <Trans>Drop another zip here to replace the package</Trans>
                ) : (
                  <Trans>Drop the mini-app’s zip here</Trans>
                )}
              </p>
              <button type="button" className="button" onClick={choose}>
                {t`Choose a file`}
              </button>
              <p className="muted">
                <Trans>
                  .zip or .ma, up to 20 MB, with index.html or a W3C manifest.json at its root
                </Trans>
              </p>
            </>
          )}
        </div>
      )}
    </div>
  )
}
