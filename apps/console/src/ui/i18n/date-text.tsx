import { useLingui } from '@lingui/react'
import { relativeTime } from './relative-time.ts'
import { useMinute } from './shared-clock.ts'
import { tooltip } from '../kit/tooltip.ts'

interface DateTextProps {
  value: string | null
  /** Says how long ago it was; the full date is in the tooltip. */
  isRelative?: boolean
}

/** A moment in the reader's time zone and language; a dash if there is none. */
export function DateText({ value, isRelative = false }: DateTextProps) {
  const { i18n } = useLingui()
  const date = new Date(value ?? '')
  // A third-party service may send none.
  if (value === null || Number.isNaN(+date)) return <span className="muted">–</span>
  return (
    <time
      dateTime={value}
      {...tooltip(i18n.date(date, { dateStyle: 'medium', timeStyle: 'medium' }))}
    >
      {isRelative ? (
        <RelativeText moment={date.getTime()} />
      ) : (
        i18n.date(date, { dateStyle: 'medium', timeStyle: 'short' })
      )}
    </time>
  )
}

function RelativeText({ moment }: { moment: number }) {
  const { i18n } = useLingui()
  const now = useMinute()
  return relativeTime(moment - now, i18n.locale)
}

const hour = 3_600_000

/** The longest relative dates, which reserve a column's width before its rows load. */
export function LongestRelativeDates() {
  const { i18n } = useLingui()
  return [0.9, 23, 29 * 24, 345 * 24].map((hours) => (
    <span key={hours}>{relativeTime(-hours * hour, i18n.locale)}</span>
  ))
}
