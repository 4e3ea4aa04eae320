import { Trans, useLingui } from '@lingui/react/macro'
import { useRef, useState, type ReactNode } from 'react'
import { isAbort } from '../../../../api/problem.ts'
import { DropZone } from '../../../../ui/file/drop-zone.tsx'
import { useFileChoice } from '../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../ui/file/use-file-drop.ts'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import type { NewItem } from '../../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../../ui/panel/side-panel.tsx'
import styles from './upload-panel.module.css'

interface Sending {
  signal: AbortSignal
  onProgress: (bytes: number) => void
}

interface UploadPanelProps<Description> extends NewItem {
  title: string
  /** The prompt of the drop zone. */
  invitation: string
  /** As in the `accept` attribute of an `input`: `.cap`. */
  accept: string
  /** Bytes. */
  largest?: number
  /** Parses a file before it is uploaded. @throws an error that `problemOf` puts into words */
  read: (file: File) => Promise<Description>
  problemOf: (error: unknown) => string
  /** Uploads a file, and returns the ID of the result. */
  upload: (file: File, sending: Sending) => Promise<string>
  makeSample?: () => Promise<File>
  children: (description: Description) => ReactNode
}

/** The button that had the focus is gone, and the keyboard would start at the top of the page. */
const takeLostFocus = (button: HTMLButtonElement | null) => {
  if (document.activeElement === document.body) button?.focus()
}

/** A drop zone: the file is first parsed and explained here, then uploaded. */
export function UploadPanel<Description>({
  title,
  invitation,
  accept,
  largest = Infinity,
  read,
  problemOf,
  upload,
  makeSample,
  onClose,
  onCreated,
  children,
}: UploadPanelProps<Description>) {
  const { t, i18n } = useLingui()
  const sending = useRef<AbortController>(undefined)
  const [chosen, setChosen] = useState<{ file: File; description: Description }>()
  const [sent, setSent] = useState<number>()
  const [failure, setFailure] = useState('')

  const take = async ([file]: File[]) => {
    if (!file) return
    setFailure('')
    setChosen(undefined)
    if (file.size > largest) {
      const limit = formatBytes(largest, i18n.locale)
      return setFailure(t`${file.name} is larger than ${limit}.`)
    }
    try {
      setChosen({ file, description: await read(file) })
    } catch (error) {
      setFailure(`${file.name}: ${problemOf(error)}`)
    }
  }
  const onFiles = (files: File[]) => void take(files)
  const send = async (file: File) => {
    // Two clicks in one frame see the same state.
    if (sending.current) return
    const controller = new AbortController()
    sending.current = controller
    setFailure('')
    setSent(0)
    try {
      onCreated(await upload(file, { signal: controller.signal, onProgress: setSent }))
    } catch (error) {
      if (!isAbort(error)) setFailure(problemOf(error))
    } finally {
      sending.current = undefined
      setSent(undefined)
    }
  }
  const close = () => {
    sending.current?.abort()
    onClose()
  }
  const isSending = sent !== undefined
  const { choose, input } = useFileChoice({ accept, onFiles, 'data-testid': 'chosen-file' })
  const { isOver, dropProps } = useFileDrop({ onFiles, isDisabled: isSending })
  const size = chosen?.file.size ?? 0
  return (
    <SidePanel title={title} mode="details" onClose={close}>
      <div className={styles.steps}>
        {input}
        <DropZone isOver={isOver} {...dropProps}>
          <p>{chosen ? <strong>{chosen.file.name}</strong> : invitation}</p>
          <div className={styles.buttons}>
            <button
              type="button"
              className="button"
              aria-disabled={isSending}
              onClick={() => !isSending && choose()}
            >
              {chosen ? <Trans>Choose another file</Trans> : <Trans>Choose a file</Trans>}
            </button>
            {makeSample && !chosen && (
              <button
                type="button"
                className="button"
                onClick={() => void makeSample().then((file) => take([file]))}
              >
                <Trans>Try with a sample</Trans>
              </button>
            )}
          </div>
          {!chosen && (
            <p className="muted">
              <Trans>It is read in your browser first; nothing is uploaded yet.</Trans>
            </p>
          )}
        </DropZone>
        <div role="alert">{failure && <p className={styles.failure}>{failure}</p>}</div>
        {chosen && (
          <>
            {sent === undefined ? (
              <button
                ref={takeLostFocus}
                type="button"
                className="button primary"
                onClick={() => void send(chosen.file)}
              >
                <Trans>Upload</Trans>
              </button>
            ) : (
              <div className={styles.progress}>
                <progress
                  aria-label={t`Upload of ${chosen.file.name}`}
                  value={sent}
                  max={Math.max(1, size)}
                />
                <span className="muted">
                  {formatBytes(sent, i18n.locale)} / {formatBytes(size, i18n.locale)}
                </span>
                <button
                  type="button"
                  className="button small"
                  onClick={() => sending.current?.abort()}
                >
                  <Trans>Cancel</Trans>
                </button>
              </div>
            )}
            {children(chosen.description)}
          </>
        )}
      </div>
    </SidePanel>
  )
}
