import { useLingui } from '@lingui/react/macro'
import { Download, Printer } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { saveFile } from '../../../ui/file/save-file.ts'
import { LoopbackNotice } from '../parts/share/loopback-notice.tsx'
import { PrintSheet } from './print-sheet.tsx'
import { pngFile, qrCode, svgFile } from './qr-code.ts'
import styles from './qr-panel.module.css'

interface QrPanelProps {
  /** The app's title, used in the file names. */
  title: string
  url: string
}

/** The QR code of a link, to view, save or print. */
export function QrPanel({ title, url }: QrPanelProps) {
  const { t } = useLingui()
  const [isPrinting, setPrinting] = useState(false)
  const endPrinting = useCallback(() => setPrinting(false), [])
  const code = useMemo(() => qrCode(url), [url])
  const name = `${title} QR`
  return (
    <div className={styles.panel}>
      <svg
        className={styles.code}
        viewBox={`0 0 ${code.size} ${code.size}`}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a picture drawn here has no address for an img
        role="img"
        aria-label={t`QR code of ${url}`}
      >
        <path d={code.path} />
      </svg>
      <LoopbackNotice url={url} />
      <div className="actions">
        <button
          type="button"
          className="button small"
          onClick={() => saveFile(svgFile(code), `${name}.svg`)}
        >
          <Download size={14} aria-hidden />
          SVG
        </button>
        <button
          type="button"
          className="button small"
          onClick={() => void pngFile(code).then((png) => saveFile(png, `${name}.png`))}
        >
          <Download size={14} aria-hidden />
          PNG
        </button>
        <button type="button" className="button small" onClick={() => setPrinting(true)}>
          <Printer size={14} aria-hidden />
          {t`Print sheet`}
        </button>
      </div>
      {isPrinting && <PrintSheet title={title} url={url} code={code} onDone={endPrinting} />}
    </div>
  )
}
