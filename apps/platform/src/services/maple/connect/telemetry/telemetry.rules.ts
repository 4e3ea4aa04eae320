import {
  clockAheadMinutes,
  maxKeyLength,
  maxPointsOfMessage,
} from '@grove/contract/maple/connect/telemetry.rules'

export interface Measured {
  key: string
  value: number
}

// Text that a database refuses would fail the messages of others with it.
const isKey = (key: string) => key.length <= maxKeyLength && /^[^\p{C}]+$/u.test(key)

/**
 * The numbers of a message: those below other keys are named `a.b`, a number alone `value`. Lists are
 * none, and what comes behind the most that a message can have is left out.
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

/** Milliseconds since 1970: now, and the first moment of a reading that is kept. */
export interface ReadingClock {
  now: number
  earliest: number
}

/** The first day that is kept is left out, so that its partition is not dropped under a batch. */
export const readingClock = (now: number, keptDays: number): ReadingClock => ({
  now,
  earliest: (Math.floor(now / dayMs) - keptDays + 1) * dayMs,
})

/** Whether what the clock of a device says cannot be, or is before what is kept. */
export const isOff = (sentAt: number, { now, earliest }: ReadingClock): boolean =>
  sentAt > now + clockAheadMinutes * 60_000 || sentAt < earliest

/**
 * Where a reading stands: at the time of the device's own clock, so that what it measured while it was
 * offline is where it was measured. One that cannot be believed stands where it came.
 */
export const momentOf = (sentAt: number | undefined, clock: ReadingClock): number =>
  sentAt === undefined || isOff(sentAt, clock) ? clock.now : Math.floor(sentAt)

/** The day of a moment, as its partition is named. */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10)
