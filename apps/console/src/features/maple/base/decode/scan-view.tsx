import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { firstCode } from './scan.ts'
import styles from './scan-view.module.css'

/** The interval between two looks at the picture, in milliseconds. */
const pause = 200
const nextLook = () => new Promise<void>((resolve) => setTimeout(resolve, pause))

/** Shows the camera's picture until it finds a code. */
export function ScanView({ onText }: { onText: (text: string) => void }) {
  const { t } = useLingui()
  const video = useRef<HTMLVideoElement>(null)
  const [hasFailed, setFailed] = useState(false)
  const found = useEffectEvent(onText)

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const start = async (element: HTMLVideoElement) => {
      if (!globalThis.BarcodeDetector) return
      const stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: 'environment' },
      })
      const end = () => stream.getTracks().forEach((track) => track.stop())
      signal.addEventListener('abort', end)
      // Closed while the browser was asking for permission.
      if (signal.aborted) return end()
      element.srcObject = stream
      await element.play()
      const text = await firstCode(new globalThis.BarcodeDetector(), element, signal, nextLook)
      if (text !== undefined) found(text)
    }
    if (video.current) start(video.current).catch(() => !signal.aborted && setFailed(true))
    return () => stop.abort()
  }, [])

  if (hasFailed)
    return (
      <p className="field-error">
        <Trans>The camera did not start. Allow it in the browser, or paste the code.</Trans>
      </p>
    )
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- a video without sound
  return <video ref={video} className={styles.video} muted playsInline aria-label={t`Camera`} />
}
