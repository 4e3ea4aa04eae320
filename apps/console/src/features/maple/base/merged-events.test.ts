import { expect, test } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import { mergedEvents } from './merged-events.ts'

const event = (id: number, at: string): Event => ({
  id,
  at,
  actor: null,
  action: 'device.update',
  subject: 'gate-1',
  ip: null,
  userAgent: null,
  requestId: null,
  partOf: null,
  before: null,
  after: null,
})
const own = [event(9, '2026-03-03'), event(5, '2026-03-01')]
const elements = [event(8, '2026-03-03'), event(7, '2026-03-02'), event(1, '2026-01-01')]
const idsOf = (events: readonly Event[]) => events.map(({ id }) => id)

test('events of a device and of its elements form one history, newest first', () => {
  expect(idsOf(mergedEvents(own, elements, false))).toEqual([9, 8, 7, 5, 1])
})

test('events older than the device’s loaded ones are held back', () => {
  expect(idsOf(mergedEvents(own, elements, true))).toEqual([9, 8, 7, 5])
  expect(idsOf(mergedEvents([], elements, true))).toEqual([8, 7, 1])
})
