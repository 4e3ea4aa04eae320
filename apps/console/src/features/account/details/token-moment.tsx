import { useLingui } from '@lingui/react'

/** A moment to the second, in the reader's zone, which it names. */
export function TokenMoment({ at }: { at: number }) {
  const { i18n } = useLingui()
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()}>
      {i18n.date(date, { dateStyle: 'medium', timeStyle: 'long' })}
    </time>
  )
}
