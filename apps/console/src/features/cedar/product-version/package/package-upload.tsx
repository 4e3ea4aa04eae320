import { largestPackage } from '@grove/contract/cedar/package.rules'
import { megabytes } from '@grove/contract/cedar/storage.rules'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { DropZone } from '../../../../ui/file/drop-zone.tsx'
import { useFileChoice } from '../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../ui/file/use-file-drop.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion, refreshVersions } from '../product-version.api.ts'
import { isWorthRetrying } from '../../parts/retry.ts'
import { useFileUpload } from '../../parts/use-file-upload.ts'
import { useKeptFocus } from '../../../../ui/page/use-kept-focus.ts'
import { useUploadGuard } from '../../parts/use-upload-guard.ts'
import { packageProblemText, packageRefusal } from './package-problem.ts'
import styles from './package-upload.module.css'
import { RefusedUpload } from './refused-upload.tsx'
import { UploadFailure } from './upload-failure.tsx'
import { UploadProgress } from './upload-progress.tsx'

/** The drop zone for a package, and the progress of its upload. */
export function PackageUpload({ version }: { version: ProductVersion }) {
  const { t, i18n } = useLingui()
  const size = megabytes(largestPackage)
  const part = useRef<HTMLDivElement>(null)
  const { productVersionId } = version
  const [announcement, setAnnouncement] = useState('')
  /** Several files dropped at once: none is uploaded. */
  const [surplus, setSurplus] = useState<readonly File[]>([])

  const { state, start, cancel, dismiss } = useFileUpload(
    async (file, transfer) => {
      const refusal = packageRefusal(file)
      if (refusal) throw refusal
      const path = '/api/storage/productVersion/miniApp'
      return api.cedar.upload(path, { fields: { productVersionId }, file, ...transfer })
    },
    (changed) => {
      cacheVersion(changed)
      // A refusal stays on the page, so it needs no toast.
      setAnnouncement(changed.lastRefused ? t`The package was rejected` : '')
      if (!changed.lastRefused) notify({ text: t`The package is uploaded and passed its checks.` })
    },
  )
  const isSending = state.status === 'sending'
  useUploadGuard(isSending)
  useKeptFocus(part, state.status)
  const take = (files: File[]) => {
    const [file] = files
    setSurplus(files.length > 1 ? files : [])
    if (files.length > 1) dismiss()
    if (file && files.length === 1) start(file)
  }
  const { isOver, dropProps } = useFileDrop({ onFiles: take, isDisabled: isSending })
  const { choose, input } = useFileChoice({ accept: '.zip,.ma,application/zip', onFiles: take })
  const refused = version.lastRefused
  const failure =
    surplus.length > 1
      ? {
          text: t`A version has one package. Drop one file at a time.`,
          files: surplus,
          onRetry: undefined,
          onClose: () => setSurplus([]),
        }
      : state.status === 'failed'
        ? {
            text: packageProblemText(state.error, i18n),
            files: [state.file],
            onRetry: isWorthRetrying(state.error) ? () => start(state.file) : undefined,
            onClose: dismiss,
          }
        : undefined

  return (
    <div ref={part} className={styles.upload} {...dropProps}>
      <output className="visually-hidden">{announcement}</output>
      {input}
      {state.status === 'sending' ? (
        <UploadProgress
          fileName={state.file.name}
          loaded={state.loaded}
          total={state.total}
          samples={state.samples}
          onCancel={() => {
            cancel()
            // Its check may have just finished.
            refreshVersions()
          }}
        />
      ) : (
        <DropZone isOver={isOver}>
          <p>
            {version.package ? (
              <Trans>Drop another zip here to replace the package</Trans>
            ) : (
              <Trans>Drop the mini-app’s zip here</Trans>
            )}
          </p>
          <button type="button" className="button" onClick={choose}>
            {state.status === 'failed' ? t`Choose another file` : t`Choose a file`}
          </button>
          <p className="muted">
            <Trans>
              .zip or .ma, up to {size} MB, with index.html or a W3C manifest.json at its root
            </Trans>
          </p>
        </DropZone>
      )}
      {failure ? (
        <UploadFailure
          {...failure}
          earlier={
            refused && (
              <details>
                <summary>
                  <Trans>
                    <bdi>{refused.report.fileName}</bdi> was rejected before that
                  </Trans>
                </summary>
                <RefusedUpload version={version} refused={refused} />
              </details>
            )
          }
        />
      ) : (
        refused &&
        state.status !== 'sending' && <RefusedUpload version={version} refused={refused} />
      )}
    </div>
  )
}
