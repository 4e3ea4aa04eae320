import { expect, test } from 'vitest'
import { isOpen, isZone, nextOpening } from './window.ts'

const minute = 60_000
const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Apia',
]

const clocks = new Map(
  zones.map((zone) => [
    zone,
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }),
  ]),
)
/** The minute of the day as a clock on the wall shows it. */
const clock = (time: number, zone: string) => clocks.get(zone)?.format(time) ?? ''

const isWithin = (at: string, from: string, to: string) =>
  from < to ? at >= from && at < to : at >= from || at < to

test('the next opening is the first minute whose local time is in the window, also when clocks change', () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const text = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  // Around the changes of clocks in spring and autumn of both halves of the earth.
  const days = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01']
  for (let round = 0; round < 100; round++) {
    const zone = zones[random(zones.length)] ?? 'UTC'
    const day = Date.parse(`${days[random(days.length)]}T00:00:00Z`)
    const now = day + (random(3 * 1440) - 1440) * minute + random(minute)
    const from = text(random(1440))
    const to = text(random(1440))
    const found = nextOpening(now, { from, to }, zone)
    let expected = now
    while (!isWithin(clock(expected, zone), from, to))
      expected = Math.floor(expected / minute) * minute + minute
    expect([zone, from, to, new Date(now), new Date(found)]).toEqual([
      zone,
      from,
      to,
      new Date(now),
      new Date(expected),
    ])
    expect(isOpen(found, { from, to }, zone)).toBe(true)
  }
})

test('a window over a skipped hour opens when the clocks have changed', () => {
  // In Paris 02:00 becomes 03:00 on 29 March 2026.
  const window = { from: '02:30', to: '03:30' }
  const opens = nextOpening(Date.parse('2026-03-29T00:10:00Z'), window, 'Europe/Paris')
  expect(new Date(opens).toISOString()).toBe('2026-03-29T01:00:00.000Z')
})

test('a window over a repeated hour opens twice', () => {
  // In Paris 03:00 becomes 02:00 on 25 October 2026.
  const window = { from: '02:10', to: '02:20' }
  const first = nextOpening(Date.parse('2026-10-24T23:00:00Z'), window, 'Europe/Paris')
  const second = nextOpening(first + 15 * minute, window, 'Europe/Paris')
  expect([first, second].map((time) => new Date(time).toISOString())).toEqual([
    '2026-10-25T00:10:00.000Z',
    '2026-10-25T01:10:00.000Z',
  ])
})

test('a window may span midnight, or be always open', () => {
  const night = { from: '22:00', to: '04:00' }
  const at = (time: string) => isOpen(Date.parse(`2026-06-01T${time}:00Z`), night, 'UTC')
  expect(['21:59', '22:00', '03:59', '04:00'].map(at)).toEqual([false, true, true, false])
  expect(isOpen(0, { from: '08:00', to: '08:00' }, 'UTC')).toBe(true)
})

test('an invalid time zone is recognised', () => {
  expect(['Europe/Paris', 'Mars/Olympus', '', '+25:00'].map(isZone)).toEqual([
    true,
    false,
    false,
    false,
  ])
})
