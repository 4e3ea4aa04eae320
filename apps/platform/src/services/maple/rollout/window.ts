import type { RolloutPlan } from '@grove/contract/maple/rollout/rollout'

export type Window = NonNullable<RolloutPlan['window']>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMinutes = 24 * 60
/** Longer than any wait for a window, whichever hours a change of the clocks skips or repeats. */
const horizonMs = 50 * hourMs

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  formats.set(zone, format)
  return format
}

/** Whether the server knows a time zone by this name. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

const floor = (time: number) => Math.floor(time / minuteMs) * minuteMs

/** How far a zone is ahead of UTC at a time. */
function offsetAt(time: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(time)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'))
  return local - floor(time)
}

const minuteOfDay = (time: number, offset: number) =>
  Math.floor((((time + offset) / minuteMs) % dayMinutes) + dayMinutes) % dayMinutes

export function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/** A window that ends before it begins spans midnight; one that ends as it begins is always open. */
export function isOpen(time: number, { from, to }: Pick<Window, 'from' | 'to'>, zone: string) {
  return isWithin(minuteOfDay(time, offsetAt(time, zone)), minutesOf(from), minutesOf(to))
}

const isWithin = (minute: number, from: number, to: number) =>
  from < to ? minute >= from && minute < to : minute >= from || minute < to

/**
 * The first time from now on within the window, in its zone. At clock changes, local hours count:
 * skipped ones are in no window, repeated ones twice.
 */
export function nextOpening(now: number, { from, to }: Pick<Window, 'from' | 'to'>, zone: string) {
  if (isOpen(now, { from, to }, zone)) return now
  const opens = minutesOf(from)
  for (const { start, end, offset } of segments(floor(now) + minuteMs, zone)) {
    const at = minuteOfDay(start, offset)
    if (isWithin(at, opens, minutesOf(to))) return start
    const next = start + ((opens - at + dayMinutes) % dayMinutes) * minuteMs
    if (next < end) return next
  }
  throw new Error(`A window from ${from} to ${to} never opens in ${zone}.`)
}

/** The stretches of time from `start` on in which a zone has one offset. */
function* segments(start: number, zone: string) {
  let begin = start
  let offset = offsetAt(start, zone)
  for (let time = start; time < start + horizonMs; time += hourMs) {
    const after = time + hourMs
    const next = offsetAt(after, zone)
    if (next === offset) continue
    const change = changeBetween(time, after, offset, zone)
    yield { start: begin, end: change, offset }
    begin = change
    offset = next
  }
  yield { start: begin, end: start + horizonMs, offset }
}

/** The first minute with another offset. */
function changeBetween(from: number, to: number, offset: number, zone: string): number {
  let [before, after] = [from, to]
  while (after - before > minuteMs) {
    const middle = floor((before + after) / 2)
    if (offsetAt(middle, zone) === offset) before = middle
    else after = middle
  }
  return after
}
