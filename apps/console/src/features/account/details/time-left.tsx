import { Trans } from '@lingui/react/macro'
import { useSyncExternalStore } from 'react'
import { clockTime } from '../clock-time.ts'
import styles from './time-left.module.css'

const second = 1000
const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, second)
  return () => clearInterval(timer)
}
const thisSecond = () => Math.floor(Date.now() / second) * second

/** Counts down to a time on this machine's clock. Screen readers do not read out every tick. */
export function TimeLeft({ until }: { until: number }) {
  const now = useSyncExternalStore(subscribe, thisSecond)
  const left = clockTime(until - now)
  return (
    <span role="timer" className={styles.left}>
      {until > now ? <Trans>{left} remaining</Trans> : <Trans>expired</Trans>}
    </span>
  )
}
