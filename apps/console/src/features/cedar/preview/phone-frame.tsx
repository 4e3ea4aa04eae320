import { useLingui } from '@lingui/react/macro'
import { Play, RefreshCw, Square, X } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'
import { useKeptFocus } from '../../../ui/page/use-kept-focus.ts'
import styles from './phone-frame.module.css'
import { addressOf, atRun, type Run, type RunState } from './use-preview.ts'

interface PhoneFrameProps {
  ref: Ref<HTMLIFrameElement>
  run: Run
  width: number
  height: number
  state: RunState
  isFull: boolean
  onLeaveFull: () => void
  onStop: () => void
  onStart: () => void
}

const kinds: Record<RunState, StateKind> = {
  starting: 'waiting',
  running: 'good',
  silent: 'warning',
  flooded: 'bad',
  stopped: 'ended',
}

/** The phone with the frame in it. Stopping a frame removes it, and its process with it. */
export function PhoneFrame({
  ref,
  run,
  width,
  height,
  state,
  isFull,
  onLeaveFull,
  onStop,
  onStart,
}: PhoneFrameProps) {
  const { t } = useLingui()
  const words: Record<RunState, string> = {
    starting: t`Starting`,
    running: t`Running`,
    silent: t`Not responding`,
    flooded: t`Stopped: too many messages`,
    stopped: t`Stopped`,
  }
  const { box, scale } = useScale(width, height)
  const part = useRef<HTMLDivElement>(null)
  useKeptFocus(part, state)
  const hasFrame = state !== 'stopped' && state !== 'flooded'
  const size = isFull ? undefined : { width, height, scale: String(scale) }
  return (
    <div ref={part} className={styles.frame} data-full={isFull || undefined}>
      <div className={styles.head}>
        <output aria-live="polite">
          <StateBadge kind={kinds[state]} text={words[state]} />
        </output>
        {hasFrame && (
          <button type="button" className="button quiet small" data-focus onClick={onStop}>
            <Square size={14} aria-hidden />
            {t`Stop`}
          </button>
        )}
        {isFull && (
          <button type="button" className="button small" onClick={onLeaveFull}>
            <X size={14} aria-hidden />
            {t`Leave full screen`}
          </button>
        )}
      </div>
      <div ref={box} className={styles.box}>
        <div
          className={styles.place}
          style={isFull ? undefined : { width: width * scale, height: height * scale }}
        >
          <div className={styles.phone} style={size}>
            {hasFrame && (
              <iframe
                key={run.id}
                ref={ref}
                className={styles.screen}
                title={t`The mini-app`}
                src={atRun(addressOf(run, run.scheme), run.id)}
                name={`grove:${JSON.stringify({ locale: run.locale })}`}
                sandbox="allow-scripts allow-forms"
                allow=""
                referrerPolicy="no-referrer"
              />
            )}
          </div>
          {state === 'silent' && (
            <Cover text={t`The app has not responded for five seconds.`}>
              <button type="button" className="button danger" onClick={onStop}>
                <Square size={16} aria-hidden />
                {t`Stop the app`}
              </button>
              <button type="button" className="button" onClick={onStart}>
                <RefreshCw size={16} aria-hidden />
                {t`Reload the app`}
              </button>
            </Cover>
          )}
          {!hasFrame && (
            <Cover
              text={
                state === 'flooded'
                  ? t`The app sent more messages than the console accepts, so it was stopped.`
                  : t`The app is stopped.`
              }
            >
              <button type="button" className="button primary" data-focus onClick={onStart}>
                <Play size={16} aria-hidden />
                {t`Start`}
              </button>
            </Cover>
          )}
        </div>
      </div>
    </div>
  )
}

const Cover = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className={styles.cover} role="alert">
    <p>{text}</p>
    <div className={styles.actions}>{children}</div>
  </div>
)

/** The scale at which a device fits into its container and into the window. */
function useScale(width: number, height: number) {
  const box = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState({ width, height })
  useEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () =>
      setRoom({ width: element.clientWidth, height: Math.max(480, innerHeight - 280) })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      removeEventListener('resize', measure)
    }
  }, [])
  return { box, scale: Math.min(1, room.width / width, room.height / height) }
}
