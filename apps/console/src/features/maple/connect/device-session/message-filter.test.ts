import { expect, test } from 'vitest'
import { messageTest } from './message-filter.ts'
import { logged } from './logged-message.ts'

const message = (kind: string, data: unknown) =>
  logged({
    id: 7,
    kind,
    boot: 'b1',
    seq: 2,
    sentAt: null,
    isClockOff: false,
    receivedAt: '2026-03-01T00:00:00Z',
    data,
    decoding: null,
  })

test('messages are found by kind and by words in their data', () => {
  const hot = message('telemetry', { temperature: 90, unit: 'Celsius' })
  const door = message('event', { opened: true })
  const passing = (kind: 'telemetry' | 'event' | undefined, text: string) => {
    const passes = messageTest({ kind, text })
    return passes && [hot, door].filter((each) => passes(each))
  }
  expect(passing(undefined, ' ')).toBeUndefined()
  expect(passing('event', '')).toEqual([door])
  expect(passing(undefined, 'celsius 90')).toEqual([hot])
  expect(passing('event', 'celsius')).toEqual([])
  expect([hot.seq, hot.place]).toEqual([7, 2])
})
