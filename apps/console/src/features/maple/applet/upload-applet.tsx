import { Trans, useLingui } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { useRef, useState, type DragEvent } from 'react'
import { isAbort } from '../../../api/problem.ts'
import { api } from '../../../session/api.ts'
import { formatBytes } from '../../../ui/i18n/format-bytes.ts'
import type { NewItem } from '../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { applets } from './applet.api.ts'
import { useCapProblem } from './cap-problem.ts'
import { CapView, type CapDescription } from './cap-view.tsx'
import styles from './upload-applet.module.css'

interface Chosen {
  file: File
  cap: CapDescription
}

/** Where a CAP file is dropped or chosen: it is read here first, then uploaded. */
export function UploadApplet({ onClose, onCreated }: NewItem) {
  const { t, i18n } = useLingui()
  const problemOf = useCapProblem()
  const input = useRef<HTMLInputElement>(null)
  const sending = useRef<AbortController>(undefined)
  const [chosen, setChosen] = useState<Chosen>()
  const [sent, setSent] = useState<number>()
  const [failure, setFailure] = useState('')
  const [isOver, setOver] = useState(false)

  const take = async (file: File | undefined) => {
    if (!file) return
    setFailure('')
    setChosen(undefined)
    try {
      const { describeCap } = await import('./describe-cap.ts')
      const cap = describeCap(new Uint8Array(await file.arrayBuffer()))
      setChosen({ file, cap })
    } catch (error) {
      setFailure(`${file.name}: ${problemOf(error)}`)
    }
  }
  const takeSample = async () => {
    const { makeCap, sampleCap } = await import('@grove/secure-element/cap/make-cap')
    await take(new File([makeCap(sampleCap)], 'ndef-sample.cap'))
  }
  const send = async ({ file }: Chosen) => {
    // Two clicks in one frame see the same state.
    if (sending.current) return
    const controller = new AbortController()
    sending.current = controller
    setFailure('')
    setSent(0)
    try {
      const saved = await api.maple.upload('/api/maple/applets', {
        fields: {},
        file,
        signal: controller.signal,
        onProgress: setSent,
      })
      void applets.refresh(saved)
      onCreated(saved.id)
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
  const dropProps = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      if (sent === undefined) void take(event.dataTransfer.files[0])
    },
  }
  const size = chosen?.file.size ?? 0
  return (
    <SidePanel title={t`Upload a CAP file`} mode="details" onClose={close}>
      <div className={styles.steps}>
        <input
          ref={input}
          type="file"
          hidden
          data-testid="cap-file"
          accept=".cap"
          onChange={({ target }) => {
            void take(target.files?.[0])
            // The same file chosen again is a change too.
            target.value = ''
          }}
        />
        <div className={styles.drop} data-over={isOver || undefined} {...dropProps}>
          <Upload size={20} aria-hidden />
          <p>
            {chosen ? <strong>{chosen.file.name}</strong> : <Trans>Drop a CAP file here</Trans>}
          </p>
          <div className={styles.buttons}>
            <button
              type="button"
              className="button"
              aria-disabled={sent !== undefined}
              onClick={() => sent === undefined && input.current?.click()}
            >
              {chosen ? <Trans>Choose another file</Trans> : <Trans>Choose a file</Trans>}
            </button>
            {!chosen && (
              <button type="button" className="button" onClick={() => void takeSample()}>
                <Trans>Try with a sample</Trans>
              </button>
            )}
          </div>
          {!chosen && (
            <p className="muted">
              <Trans>It is read in your browser first; nothing is uploaded yet.</Trans>
            </p>
          )}
        </div>
        <div role="alert">{failure && <p className={styles.failure}>{failure}</p>}</div>
        {chosen && (
          <>
            {sent === undefined ? (
              <button type="button" className="button primary" onClick={() => void send(chosen)}>
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
            <CapView cap={chosen.cap} />
          </>
        )}
      </div>
    </SidePanel>
  )
}
