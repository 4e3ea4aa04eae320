import { useLingui } from '@lingui/react'
import { useSyncExternalStore } from 'react'
import { relativeTime } from './relative-time.ts'

interface DateTextProps {
  value: string | null
  /** Says how long ago it was; the whole date is in the tooltip. */
  isRelative?: boolean
}

const minute = 60_000
const subscribeToMinutes = (listener: () => void) => {
  const timer = setInterval(listener, minute)
  return () => clearInterval(timer)
}
const thisMinute = () => Math.floor(Date.now() / minute) * minute

/** A moment in the reader's zone and language; a dash where there is none. */
export function DateText({ value, isRelative = false }: DateTextProps) {
  const { i18n } = useLingui()
  const now = useSyncExternalStore(subscribeToMinutes, thisMinute)
  if (value === null) return <span className="muted">–</span>
  const date = new Date(value)
  const whole = i18n.date(date, { dateStyle: 'medium', timeStyle: 'medium' })
  const text = isRelative
    ? relativeTime(date.getTime() - now, i18n.locale)
    : i18n.date(date, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <time dateTime={value} title={whole}>
      {text}
    </time>
  )
}
