/** A moment as a `datetime-local` field holds it, in the reader's time zone; '' for none. */
export function toLocalTime(moment: string | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return ''
  const offset = date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - offset).toISOString().slice(0, 16)
}

/** The moment that a `datetime-local` field holds. */
export const fromLocalTime = (text: string): string | null =>
  text === '' ? null : new Date(text).toISOString()
