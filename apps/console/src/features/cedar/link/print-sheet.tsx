import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import styles from './print-sheet.module.css'
import type { QrCode } from './qr-code.ts'

interface PrintSheetProps {
  title: string
  url: string
  code: QrCode
  onDone: () => void
}

/** How many codes of each size are on the sheet; the sizes are in its styles, in millimetres. */
const sizes = { 80: 1, 50: 3, 30: 5 } as const

/** An A4 page with the code in several sizes, visible only in print. */
export function PrintSheet({ title, url, code, onDone }: PrintSheetProps) {
  useEffect(() => {
    addEventListener('afterprint', onDone)
    print()
    return () => removeEventListener('afterprint', onDone)
  }, [onDone])
  return createPortal(
    <div className={styles.sheet}>
      {Object.entries(sizes).map(([size, count]) => (
        <div key={size} className={styles.row} data-size={size}>
          {Array.from({ length: count }, (_, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- all are the same
            <figure key={index}>
              <svg viewBox={`0 0 ${code.size} ${code.size}`} aria-hidden>
                <path d={code.path} />
              </svg>
              <figcaption>
                <b>
                  <bdi>{title}</bdi>
                </b>
                <span>{url.replace(/^https?:\/\//, '')}</span>
              </figcaption>
            </figure>
          ))}
        </div>
      ))}
    </div>,
    document.body,
  )
}
