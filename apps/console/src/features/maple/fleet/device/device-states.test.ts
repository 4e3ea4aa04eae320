import { expect, test } from 'vitest'
import { deviceStates } from '@grove/contract/maple/fleet/device.rules'
import { refusalOf } from './device-states.ts'

const choices = (from: (typeof deviceStates)[number]) =>
  deviceStates.filter((to) => refusalOf(from, to) === undefined)

test('a state can stay, or change as the service allows', () => {
  expect(choices('pending')).toEqual(['pending', 'accepted', 'quarantined'])
  expect(choices('accepted')).toEqual(['accepted', 'quarantined'])
  expect(choices('online')).toEqual(['online', 'quarantined'])
  expect(choices('offline')).toEqual(['offline', 'quarantined'])
  expect(choices('quarantined')).toEqual(['accepted', 'quarantined'])
  expect(choices('retired')).toEqual(['retired'])
})

test('each refusal has its reason', () => {
  expect(refusalOf('accepted', 'pending')).toBe('isPast')
  expect(refusalOf('accepted', 'online')).toBe('followsConnection')
  expect(refusalOf('accepted', 'retired')).toBe('retireInstead')
  expect(refusalOf('retired', 'accepted')).toBe('retiredIsFinal')
})
