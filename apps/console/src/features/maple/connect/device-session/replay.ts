import type { LoggedMessage } from './logged-message.ts'

/** Faster than the log was, so many times. */
export const replaySpeeds = [1, 10, 60, 600] as const
export type ReplaySpeed = (typeof replaySpeeds)[number]

/** A silence that would last longer than this for the reader is left out, in milliseconds. */
export const maxSilence = 3000

const timeOf = (message: Pick<LoggedMessage, 'receivedAt'>) => Date.parse(message.receivedAt)

/** Where a log begins and ends, in milliseconds since 1970. */
export const spanOf = (items: readonly LoggedMessage[]) => {
  const [first, last] = [items[0], items.at(-1)]
  return first && last ? { from: timeOf(first), to: timeOf(last) } : { from: 0, to: 0 }
}

/** How many messages there were at a moment. */
export function countAt(items: readonly LoggedMessage[], at: number): number {
  let from = 0
  let to = items.length
  while (from < to) {
    const middle = (from + to) >> 1
    const item = items[middle]
    if (item && timeOf(item) <= at) from = middle + 1
    else to = middle
  }
  return from
}

/** The moment of the message that is so many messages away from those of a moment. */
export function momentBy(items: readonly LoggedMessage[], at: number, messages: number): number {
  const place = Math.min(Math.max(countAt(items, at) - 1 + messages, 0), items.length - 1)
  const item = items[place]
  return item ? timeOf(item) : at
}

/** The moment that follows one after some time of the reader, in milliseconds. */
export function advance(
  items: readonly LoggedMessage[],
  { at, speed, elapsed }: { at: number; speed: ReplaySpeed; elapsed: number },
): number {
  const next = items[countAt(items, at)]
  if (!next) return spanOf(items).to
  const silence = timeOf(next) - at
  return silence > maxSilence * speed ? timeOf(next) : at + elapsed * speed
}
