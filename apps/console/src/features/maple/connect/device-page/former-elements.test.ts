import { expect, test } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import { eventsInDevice, formerElements } from './former-elements.ts'

let id = 100
const event = (action: string, before: unknown, after: unknown): Event => ({
  // Newest first.
  id: (id -= 1),
  at: '2026-03-01',
  actor: null,
  action,
  subject: 'A',
  ip: null,
  userAgent: null,
  requestId: null,
  partOf: null,
  before,
  after,
})
const attach = (deviceId: string) => event('element.attach', { deviceId: null }, { deviceId })
const detach = (deviceId: string) => event('element.detach', { deviceId }, { deviceId: null })
const read = () => event('element.read', null, null)

test('former elements of a device are found in its events, however these name them', () => {
  const events = [
    event(
      'device.update',
      { elements: [{ cplc: 'A' }, { cplc: 'B' }] },
      { elements: [{ cplc: 'B' }] },
    ),
    event('device.update', {}, { elements: ['C'] }),
    event('device.update', { name: 'Gate' }, { name: 'Gate 2', elements: 7 }),
    event('device.create', null, { elements: [{ cplc: 'A' }] }),
  ]
  expect(formerElements(events, ['B'])).toEqual(['A', 'C'])
  expect(formerElements(events, ['A', 'B', 'C'])).toEqual([])
})

test('an element’s events belong to the device that had it at the time', () => {
  const later = [attach('other'), read()]
  const own = [detach('gate'), read(), attach('gate')]
  const between = [read()]
  const first = [detach('gate'), read()]
  const events = [...later, ...own, ...between, ...first]
  expect(eventsInDevice(events, 'gate')).toEqual([...own, ...first])
  expect(eventsInDevice(events, 'other')).toEqual([later[0]])
  expect(eventsInDevice(events, 'nobody')).toEqual([])
})
