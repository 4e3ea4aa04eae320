import type { Event } from '@grove/contract/core/event'

/**
 * The events of a subject and of others that belong to it, the newest first. While the subject has
 * older ones that are not here yet, the older ones of the others wait for them.
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
