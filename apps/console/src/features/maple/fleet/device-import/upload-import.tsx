import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { isAbort, ApiProblem } from '../../../../api/problem.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { saveFile } from '../../../../ui/file/save-file.ts'
import { DropZone } from '../../../../ui/file/drop-zone.tsx'
import { useFileChoice } from '../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../ui/file/use-file-drop.ts'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import type { NewItem } from '../../../../ui/panel/create-item.tsx'
import { SidePanel } from '../../../../ui/panel/side-panel.tsx'
import { imports } from './device-import.api.ts'
import { useFileProblem } from './device-import.labels.tsx'
import styles from './device-import.module.css'
import { sampleFile } from './sample-file.ts'

interface Sending {
  file: File
  loaded: number
  total: number
  controller: AbortController
}

/** A drop zone for a file; its import opens once it is uploaded. */
export function UploadImport({ onClose, onCreated }: NewItem) {
  const { t, i18n } = useLingui()
  const fileProblem = useFileProblem()
  const [sending, setSending] = useState<Sending>()
  const [failure, setFailure] = useState('')

  const textOf = (error: unknown) => {
    const field = error instanceof ApiProblem ? error.fields[0] : undefined
    return (field && fileProblem(field.code, field.params)) ?? problemText(error, i18n)
  }
  const send = async (file: File) => {
    const controller = new AbortController()
    setFailure('')
    setSending({ file, loaded: 0, total: file.size, controller })
    try {
      const saved = await api.maple.upload('/api/maple/device/import', {
        fields: {},
        file,
        signal: controller.signal,
        onProgress: (loaded, total) => setSending({ file, loaded, total, controller }),
      })
      void imports.refresh(saved)
      onCreated(saved.id)
    } catch (error) {
      if (!isAbort(error)) setFailure(textOf(error))
      setSending(undefined)
    }
  }
  const onFiles = ([file]: File[]) => void (file && send(file))
  const close = () => {
    sending?.controller.abort()
    onClose()
  }
  const { choose, input } = useFileChoice({
    accept: '.csv,.tsv,.txt,.jsonl,.ndjson,text/csv,application/x-ndjson',
    onFiles,
    'data-testid': 'import-file',
  })
  const { isOver, dropProps } = useFileDrop({ onFiles, isDisabled: sending !== undefined })
  return (
    <SidePanel title={t`Import devices`} mode="details" onClose={close}>
      <div className={styles.steps}>
        {input}
        {sending ? (
          <div className={styles.progress}>
            <strong>{sending.file.name}</strong>
            <progress
              aria-label={t`Upload of ${sending.file.name}`}
              value={sending.loaded}
              max={Math.max(1, sending.total)}
            />
            <p className="muted">
              {formatBytes(sending.loaded, i18n.locale)} / {formatBytes(sending.total, i18n.locale)}
            </p>
            <button
              type="button"
              className="button small"
              onClick={() => sending.controller.abort()}
            >
              <Trans>Cancel</Trans>
            </button>
          </div>
        ) : (
          <DropZone isOver={isOver} {...dropProps}>
            <p>
              <Trans>Drop a CSV or JSON Lines file here</Trans>
            </p>
            <button type="button" className="button" onClick={choose}>
              <Trans>Choose a file</Trans>
            </button>
            <p className="muted">
              <Trans>
                Separated by commas, semicolons or tabs, in UTF-8 or UTF-16. The first row names the
                columns.
              </Trans>
            </p>
            <button
              type="button"
              className="button quiet small"
              onClick={() => saveFile(new Blob([sampleFile], { type: 'text/csv' }), 'devices.csv')}
            >
              <Download size={16} aria-hidden />
              <Trans>Download a sample file</Trans>
            </button>
          </DropZone>
        )}
        <div role="alert">{failure && <p className={styles.failure}>{failure}</p>}</div>
      </div>
    </SidePanel>
  )
}
