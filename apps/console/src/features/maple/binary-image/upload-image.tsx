import { largestImage } from '@grove/contract/maple/binary-image.rules'
import { readMcuboot, type McubootImage } from '@grove/contract/maple/mcuboot.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { useRef, useState, type DragEvent } from 'react'
import { isAbort } from '../../../api/problem.ts'
import { api } from '../../../session/api.ts'
import { formatBytes } from '../../../ui/i18n/format-bytes.ts'
import type { NewItem } from '../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { images } from './binary-image.api.ts'
import { useImageProblem } from './image-problem.ts'
import { ImageView } from './image-view.tsx'
import styles from './binary-image.module.css'

interface Chosen {
  file: File
  image: McubootImage
}

/** Where an image is dropped or chosen: it is read here first, then uploaded. */
export function UploadImage({ onClose, onCreated }: NewItem) {
  const { t, i18n } = useLingui()
  const problemOf = useImageProblem()
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
    if (file.size > largestImage) {
      const limit = formatBytes(largestImage, i18n.locale)
      return setFailure(t`${file.name} is larger than ${limit}.`)
    }
    try {
      setChosen({ file, image: readMcuboot(new Uint8Array(await file.arrayBuffer())) })
    } catch (error) {
      setFailure(`${file.name}: ${problemOf(error)}`)
    }
  }
  const send = async ({ file }: Chosen) => {
    // Two clicks in one frame see the same state.
    if (sending.current) return
    const controller = new AbortController()
    sending.current = controller
    setFailure('')
    setSent(0)
    try {
      const saved = await api.maple.upload('/api/maple/binary_images', {
        fields: {},
        file,
        signal: controller.signal,
        onProgress: setSent,
      })
      void images.refresh(saved)
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
    <SidePanel title={t`Upload an image`} mode="details" onClose={close}>
      <div className={styles.steps}>
        <input
          ref={input}
          type="file"
          hidden
          data-testid="image-file"
          accept=".bin,.img"
          onChange={({ target }) => {
            void take(target.files?.[0])
            // The same file chosen again is a change too.
            target.value = ''
          }}
        />
        <div className={styles.drop} data-over={isOver || undefined} {...dropProps}>
          <Upload size={20} aria-hidden />
          <p>
            {chosen ? <strong>{chosen.file.name}</strong> : <Trans>Drop a signed image here</Trans>}
          </p>
          <button
            type="button"
            className="button"
            aria-disabled={sent !== undefined}
            onClick={() => sent === undefined && input.current?.click()}
          >
            {chosen ? <Trans>Choose another file</Trans> : <Trans>Choose a file</Trans>}
          </button>
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
            <ImageView image={chosen.image} />
          </>
        )}
      </div>
    </SidePanel>
  )
}
