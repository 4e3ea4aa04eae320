import { useLingui } from '@lingui/react/macro'
import { Pause, Play, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { clockText } from '../../base/live/clock-text.ts'
import styles from './device-session.module.css'
import { replaySpeeds, type ReplaySpeed } from './replay.ts'
import type { Replay } from './use-replay.ts'

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
}

/** The moment at which a log is replayed, and how fast. */
export function ReplayBar({ replay }: { replay: Replay }) {
  const { t, i18n } = useLingui()
  const { isPlaying, at, from, to, speed } = replay
  const clock = clockText(new Date(at).toISOString(), i18n.locale)
  const onKeyDown = (event: KeyboardEvent) => {
    const by = steps[event.key]
    if (by === undefined) return
    event.preventDefault()
    replay.stepBy(by)
  }
  return (
    <fieldset
      className={styles.replay}
      aria-label={t({ message: 'Replay', context: 'of a device’s session' })}
    >
      <button
        type="button"
        className="button icon"
        {...iconName(isPlaying ? t`Stop the replay` : t`Play`)}
        onClick={replay.toggle}
      >
        {isPlaying ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
      </button>
      <input
        type="range"
        className={styles.moment}
        aria-label={t`Moment of the log`}
        aria-valuetext={clock}
        min={from}
        max={to}
        value={at}
        onKeyDown={onKeyDown}
        onChange={({ target }) => replay.moveTo(Number(target.value))}
      />
      <output className={styles.clock} aria-live="off">
        {clock}
      </output>
      <select
        className="select"
        aria-label={t`Speed`}
        value={speed}
        onChange={({ target }) => replay.setSpeed(Number(target.value) as ReplaySpeed)}
      >
        {replaySpeeds.map((each) => (
          <option key={each} value={each}>
            {each} ×
          </option>
        ))}
      </select>
      <button
        type="button"
        className="button quiet icon"
        {...iconName(t`Close the replay`)}
        onClick={replay.close}
      >
        <X size={16} aria-hidden />
      </button>
    </fieldset>
  )
}
