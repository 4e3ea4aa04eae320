import { describe, expect, test } from 'vitest'
import {
  lifeCycleByte,
  lifeCycleState,
  nextStates,
  stateBeforeLock,
  statesOf,
  type LifeCycleOwner,
  type LifeCycleState,
} from './life-cycle.ts'

const owners: LifeCycleOwner[] = ['card', 'application', 'securityDomain', 'loadFile']

// GlobalPlatform Card Specification 2.3.1, tables 11-3 to 11-6.
test.each<[LifeCycleOwner, number, LifeCycleState | undefined]>([
  ['card', 0x01, 'opReady'],
  ['card', 0x07, 'initialized'],
  ['card', 0x0f, 'secured'],
  ['card', 0x7f, 'cardLocked'],
  ['card', 0xff, 'terminated'],
  ['card', 0x03, undefined],
  ['application', 0x03, 'installed'],
  ['application', 0x07, 'selectable'],
  ['application', 0x0f, 'applicationSpecific'],
  ['application', 0x87, 'locked'],
  ['application', 0x80, undefined],
  ['securityDomain', 0x0f, 'personalized'],
  ['securityDomain', 0x8f, 'locked'],
  ['securityDomain', 0x17, undefined],
  ['loadFile', 0x01, 'loaded'],
  ['loadFile', 0x00, 'logicallyDeleted'],
])('a %s with %i is %s', (owner, byte, state) => {
  expect(lifeCycleState(owner, byte)).toBe(state)
})

test.each(owners)('every byte of a %s that has a state is written as it was read', (owner) => {
  for (let byte = 0; byte < 256; byte++) {
    const state = lifeCycleState(owner, byte)
    if (state === undefined || state === 'applicationSpecific') continue
    expect(lifeCycleByte(owner, state, byte & 0x7f)).toBe(byte)
  }
})

describe('transitions', () => {
  test('a card goes to SECURED, to and from CARD_LOCKED, and never back from TERMINATED', () => {
    expect(nextStates('card', 'opReady')).toContain('initialized')
    expect(nextStates('card', 'initialized')).toContain('secured')
    expect(nextStates('card', 'secured')).toContain('cardLocked')
    expect(nextStates('card', 'cardLocked')).toContain('secured')
    expect(nextStates('card', 'secured')).not.toContain('initialized')
    expect(nextStates('card', 'terminated')).toEqual([])
  })

  test.each(owners)('of a %s lead only to its own states', (owner) => {
    for (const state of statesOf(owner))
      for (const next of nextStates(owner, state)) expect(statesOf(owner)).toContain(next)
  })

  test('unlocking returns to the state of before', () => {
    expect(stateBeforeLock('securityDomain', 0x8f)).toBe('personalized')
    expect(stateBeforeLock('application', 0x83)).toBe('installed')
    expect(stateBeforeLock('application', 0x07)).toBeUndefined()
  })
})

test('refuses a state that the owner does not have', () => {
  expect(() => lifeCycleByte('loadFile', 'locked')).toThrow(
    expect.objectContaining({ code: 'wrongValue', expected: 'loadFile', found: 'locked' }),
  )
})
