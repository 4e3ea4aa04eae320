import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowDownToLine, Pause, Play } from 'lucide-react'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import styles from './log.module.css'
import type { LogReading } from './use-log-reading.ts'

/** Buttons to pause a log, and to follow its end. */
export function LogToggles({ reading }: { reading: LogReading }) {
  const { t } = useLingui()
  const { isPaused, togglePause, isFollowing, setFollowing } = reading
  return (
    <>
      <button
        type="button"
        className={`button icon ${styles.toggle}`}
        aria-pressed={isPaused}
        {...iconName(isPaused ? t`Resume` : t`Pause`)}
        onClick={togglePause}
      >
        {isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
      </button>
      <button
        type="button"
        className={`button icon ${styles.toggle}`}
        aria-pressed={isFollowing}
        {...iconName(t`Follow new messages`)}
        onClick={() => setFollowing(!isFollowing)}
      >
        <ArrowDownToLine size={16} aria-hidden />
      </button>
    </>
  )
}

/** How many items arrived while the log was paused. */
export const Unseen = ({ count }: { count: number }) =>
  count > 0 && (
    <span>
      <Plural value={count} one="# new while paused" other="# new while paused" />
    </span>
  )
