import type { Event } from '@grove/contract/core/event'

/**
 * The events of a subject merged with those of others that belong to it, newest first. While older
 * events of the subject are not loaded, older ones of the others are held back.
 */
export function mergedEvents(
  own: readonly Event[],
  others: readonly Event[],
  hasOlder: boolean,
): Event[] {
  const oldest = hasOlder ? (own.at(-1)?.at ?? '') : ''
  return [...own, ...others.filter(({ at }) => at >= oldest)].toSorted((one, other) =>
    one.at === other.at ? other.id - one.id : one.at < other.at ? 1 : -1,
  )
}
