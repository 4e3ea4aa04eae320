import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { secondsLeft, transferRate, type Sample } from '../../parts/transfer-rate.ts'
import styles from './upload-progress.module.css'

interface UploadProgressProps {
  fileName: string
  loaded: number
  total: number
  samples: readonly Sample[]
  onCancel: () => void
}

/** How long nothing may move before the page says so, ahead of the connection's own timeout. */
const stallMs = 8000

export function UploadProgress(props: UploadProgressProps) {
  const { fileName, loaded, total, samples, onCancel } = props
  const { t, i18n } = useLingui()
  const now = useNow()
  const bytes = (value: number) => formatBytes(value, i18n.locale)
  const isSent = loaded >= total && total > 0

  const rate = transferRate(samples)
  const lastAt = samples.at(-1)?.at ?? now
  const isStalled = !isSent && now - lastAt > stallMs

  const done = bytes(Math.min(loaded, total))
  const whole = bytes(total)
  const speed = rate === undefined ? undefined : bytes(rate)
  const left =
    rate === undefined ? undefined : duration(secondsLeft(rate, loaded, total), i18n.locale)

  return (
    <div className={styles.progress}>
      <div className={styles.head}>
        <strong>{fileName}</strong>
        <button type="button" className="button small" onClick={onCancel}>
          {t`Cancel`}
        </button>
      </div>
      <progress
        aria-label={t`Upload of ${fileName}`}
        {...(isSent ? {} : { value: loaded, max: total })}
      />
      <p className={styles.numbers}>
        {isSent ? (
          <Trans>Sent. The package is being checked…</Trans>
        ) : (
          <>
            <span>
              <Trans>
                {done} of {whole}
              </Trans>
            </span>
            {speed && left && !isStalled && (
              <span className="muted">
                <Trans>
                  {speed} per second, {left} remaining
                </Trans>
              </span>
            )}
          </>
        )}
      </p>
      <output className={isStalled ? styles.stalled : 'visually-hidden'}>
        {isStalled ? t`No data has been sent for a while. Check your connection.` : ''}
      </output>
    </div>
  )
}

function duration(seconds: number, locale: string) {
  const isLong = seconds >= 90
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isLong ? 'minute' : 'second',
    unitDisplay: 'short',
  }).format(isLong ? Math.ceil(seconds / 60) : seconds)
}

function useNow() {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
