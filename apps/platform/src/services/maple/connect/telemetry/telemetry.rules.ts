import {
  clockAheadMinutes,
  maxKeyLength,
  maxPointsOfMessage,
} from '@grove/contract/maple/connect/telemetry.rules'
import { daysAround } from '../../base/day-partitions.ts'

export interface Measured {
  key: string
  value: number
}

// Text that a database refuses would fail the messages of others with it.
const isKey = (key: string) => key.length <= maxKeyLength && /^[^\p{C}]+$/u.test(key)

/**
 * The numbers in a message: nested ones are named `a.b`, a bare number `value`. Lists are ignored,
 * and so is what exceeds the maximum per message.
 */
export function numbersOf(data: unknown): Measured[] {
  const found: Measured[] = []
  collect(data, '', found)
  return found
}

function collect(data: unknown, path: string, found: Measured[]): void {
  if (found.length >= maxPointsOfMessage) return
  if (typeof data === 'number') {
    const key = path === '' ? 'value' : path
    // JSON has no numbers without an end, but text of one is read as such.
    if (Number.isFinite(data) && isKey(key)) found.push({ key, value: data })
    return
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return
  for (const [key, value] of Object.entries(data))
    if (key !== '') collect(value, path === '' ? key : `${path}.${key}`, found)
}

const dayMs = 86_400_000

/**
 * Days that always have partitions: a reading is at most a day ahead, and so may be the caller's
 * clock.
 */
export const currentDays = (now: number): string[] => daysAround(now, { before: 1, after: 2 })

/** Milliseconds since 1970: now, and the start of the retention period. */
export interface ReadingClock {
  now: number
  earliest: number
}

/** The first retained day is excluded, so that its partition is not dropped during a batch. */
export const readingClock = (now: number, keptDays: number): ReadingClock => ({
  now,
  earliest: (Math.floor(now / dayMs) - keptDays + 1) * dayMs,
})

/** Whether a device's time is implausible, or before the retention period. */
export const isOff = (sentAt: number, { now, earliest }: ReadingClock): boolean =>
  sentAt > now + clockAheadMinutes * 60_000 || sentAt < earliest

/**
 * The timestamp of a reading: the device's own time, so that offline measurements are placed
 * correctly. An implausible one is replaced by the time of arrival.
 */
export const momentOf = (sentAt: number | undefined, clock: ReadingClock): number =>
  sentAt === undefined || isOff(sentAt, clock) ? clock.now : Math.floor(sentAt)
