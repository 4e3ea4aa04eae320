import { useLingui } from '@lingui/react'

/** A moment to the second, in the reader's time zone, which is named. */
export function TokenMoment({ at }: { at: number }) {
  const { i18n } = useLingui()
  const date = new Date(at)
  // A third-party service may send a timestamp that no calendar has.
  if (Number.isNaN(date.getTime())) return <span>{at / 1000}</span>
  return (
    <time dateTime={date.toISOString()}>
      {i18n.date(date, { dateStyle: 'medium', timeStyle: 'long' })}
    </time>
  )
}
