import type { LoggedMessage } from './logged-message.ts'

/** Playback speeds, as multiples of real time. */
export const replaySpeeds = [1, 10, 60, 600] as const
export type ReplaySpeed = (typeof replaySpeeds)[number]

/** Silences that would last longer than this during playback are skipped, in milliseconds. */
export const maxSilence = 3000

const timeOf = (message: Pick<LoggedMessage, 'receivedAt'>) => Date.parse(message.receivedAt)

/** The start and end of a log, in milliseconds since 1970. */
export const spanOf = (items: readonly LoggedMessage[]) => {
  const [first, last] = [items[0], items.at(-1)]
  return first && last ? { from: timeOf(first), to: timeOf(last) } : { from: 0, to: 0 }
}

/** The number of messages up to a moment. */
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

/** The moment of the message so many messages before or after a given moment. */
export function momentBy(items: readonly LoggedMessage[], at: number, messages: number): number {
  const place = Math.min(Math.max(countAt(items, at) - 1 + messages, 0), items.length - 1)
  const item = items[place]
  return item ? timeOf(item) : at
}

/** The next moment after some playback time, in milliseconds. */
export function advance(
  items: readonly LoggedMessage[],
  { at, speed, elapsed }: { at: number; speed: ReplaySpeed; elapsed: number },
): number {
  const next = items[countAt(items, at)]
  if (!next) return spanOf(items).to
  const silence = timeOf(next) - at
  return silence > maxSilence * speed ? timeOf(next) : at + elapsed * speed
}
