import { expect, test } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import { eventsBefore } from './former-events.ts'

const event = (action: string, after: object | null): Event => ({
  id: 1,
  at: '2026-03-01',
  actor: null,
  action,
  subject: 'B',
  ip: null,
  userAgent: null,
  requestId: null,
  partOf: null,
  before: null,
  after,
})

test('a former CPLC leaves its history, without the change that ended it', () => {
  const own = [
    event('element.replace', { cplc: 'B', revision: 2 }),
    event('element.attach', { deviceId: 'gate' }),
    event('element.create', null),
  ]
  expect(eventsBefore([event('element.replace', { cplc: 'C' }), ...own])).toEqual(own)
})
