import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type SessionEffect,
  type SessionEvent,
  sessionOf,
  type SessionState,
  transition,
  transitions,
} from './machine.ts'
import type { Session } from './session.ts'
import { REFRESH_SPACING } from './session-times.ts'

const session = (name: string, receivedAt: number, lifetime: number): Session => ({
  token: { tokenType: 'Bearer', accessToken: `access ${name}`, refreshToken: `refresh ${name}` },
  receivedAt,
  expiresAt: receivedAt + lifetime,
  skew: 0,
  userId: 'user',
  provider: 'grove',
  roles: [],
})

const signedOut: SessionState = { status: 'signedOut', epoch: 0 }
const one = session('one', 0, 60_000)
const two = session('two', 0, 60_000)
const held = { epoch: 4, session: one, failures: 2, notBefore: 0 }
const states: Record<SessionState['status'], SessionState> = {
  signedOut: { status: 'signedOut', epoch: 4 },
  signedIn: { status: 'signedIn', ...held },
  expired: { status: 'expired', ...held },
  refreshing: { status: 'refreshing', ...held },
}
const at = 70_000
const refusal = new Error('refused')
const error = refusal

// One row per event: the status and the effects in each of the four states.
type Row = Record<SessionState['status'], [SessionState['status'], ...SessionEffect['type'][]]>
const late = session('late', at, 60_000)
const same: Row = {
  signedOut: ['signedOut'],
  signedIn: ['signedIn'],
  expired: ['expired'],
  refreshing: ['refreshing'],
}
const table: [string, SessionEvent, Row][] = [
  [
    'tokenReceived',
    { type: 'tokenReceived', session: late, at },
    {
      signedOut: ['signedIn', 'store', 'wake'],
      signedIn: ['signedIn', 'store', 'wake'],
      expired: ['signedIn', 'store', 'wake'],
      refreshing: ['signedIn', 'stopRefresh', 'store', 'wake'],
    },
  ],
  [
    'signOutRequested',
    { type: 'signOutRequested' },
    {
      signedOut: ['signedOut'],
      signedIn: ['signedOut', 'clear', 'tellSignOut'],
      expired: ['signedOut', 'clear', 'tellSignOut'],
      refreshing: ['signedOut', 'stopRefresh', 'clear', 'tellSignOut'],
    },
  ],
  [
    'timePassed, too early',
    { type: 'timePassed', at: 1 },
    { ...same, signedIn: ['signedIn', 'wake'] },
  ],
  ['timePassed', { type: 'timePassed', at }, { ...same, signedIn: ['expired'] }],
  [
    'tokenNeeded, token current',
    { type: 'tokenNeeded', at: 1 },
    { ...same, expired: ['refreshing', 'startRefresh'] },
  ],
  [
    'tokenNeeded, token ended',
    { type: 'tokenNeeded', at },
    {
      ...same,
      signedIn: ['refreshing', 'startRefresh'],
      expired: ['refreshing', 'startRefresh'],
    },
  ],
  [
    'tokenRefused',
    { type: 'tokenRefused', accessToken: one.token.accessToken, at },
    {
      ...same,
      signedIn: ['refreshing', 'startRefresh'],
      expired: ['refreshing', 'startRefresh'],
    },
  ],
  ['tokenRefused, another token', { type: 'tokenRefused', accessToken: 'other', at }, same],
  [
    'refreshRequested',
    { type: 'refreshRequested' },
    {
      ...same,
      signedIn: ['refreshing', 'startRefresh'],
      expired: ['refreshing', 'startRefresh'],
    },
  ],
  [
    'refreshSucceeded',
    { type: 'refreshSucceeded', epoch: 4, session: late, at },
    { ...same, refreshing: ['signedIn', 'store', 'wake'] },
  ],
  ['refreshSucceeded, late', { type: 'refreshSucceeded', epoch: 3, session: late, at }, same],
  [
    'refreshRejected',
    { type: 'refreshRejected', epoch: 4, error },
    { ...same, refreshing: ['signedOut', 'clear'] },
  ],
  ['refreshRejected, late', { type: 'refreshRejected', epoch: 3, error }, same],
  [
    'tokenInvalid',
    { type: 'tokenInvalid', accessToken: one.token.accessToken, error },
    {
      signedOut: ['signedOut'],
      signedIn: ['signedOut', 'clear'],
      expired: ['signedOut', 'clear'],
      refreshing: ['signedOut', 'stopRefresh', 'clear'],
    },
  ],
  ['tokenInvalid, another token', { type: 'tokenInvalid', accessToken: 'other', error }, same],
  ['signInFailed', { type: 'signInFailed', error }, same],
  [
    'refreshFailed, token ended',
    { type: 'refreshFailed', epoch: 4, at },
    { ...same, refreshing: ['expired'] },
  ],
  [
    'refreshFailed, token current',
    { type: 'refreshFailed', epoch: 4, at: 1 },
    { ...same, refreshing: ['signedIn', 'wake'] },
  ],
  ['refreshFailed, late', { type: 'refreshFailed', epoch: 3, at }, same],
  [
    'storageChanged, another token',
    { type: 'storageChanged', session: late, at },
    {
      signedOut: ['signedIn', 'wake'],
      signedIn: ['signedIn', 'wake'],
      expired: ['signedIn', 'wake'],
      refreshing: ['signedIn', 'stopRefresh', 'wake'],
    },
  ],
  [
    'storageChanged, another token that has ended',
    { type: 'storageChanged', session: two, at },
    {
      signedOut: ['expired'],
      signedIn: ['expired'],
      expired: ['expired'],
      refreshing: ['expired', 'stopRefresh'],
    },
  ],
  [
    'storageChanged, nothing left',
    { type: 'storageChanged', session: null, at },
    {
      signedOut: ['signedOut'],
      signedIn: ['signedOut'],
      expired: ['signedOut'],
      refreshing: ['signedOut', 'stopRefresh'],
    },
  ],
  ['online', { type: 'online' }, same],
  ['clockSetBack', { type: 'clockSetBack', at: -7_200_000 }, { ...same, signedIn: ['expired'] }],
]

describe('the transition table', () => {
  test('has a cell for every state and event', () => {
    const events = Object.keys(transitions.signedOut).toSorted()
    for (const row of Object.values(transitions)) {
      expect(Object.keys(row).toSorted()).toEqual(events)
    }
    expect([...new Set(table.map(([, event]) => event.type))].toSorted()).toEqual(events)
  })

  test.each(table)('%s', (_, event, row) => {
    for (const [status, [next, ...effects]] of Object.entries(row)) {
      const result = transition(states[status as SessionState['status']], event)
      expect([status, result.state.status]).toEqual([status, next])
      expect(result.effects.map((effect) => effect.type)).toEqual(effects)
    }
  })

  test('a token that cannot be refreshed keeps its end when the clock is set back', () => {
    const bare = { ...one, token: { tokenType: 'Bearer', accessToken: 'bare' } }
    const state: SessionState = { status: 'signedIn', ...held, session: bare }
    const { state: next } = transition(state, { type: 'clockSetBack', at: -7_200_000 })
    expect(next).toMatchObject({ status: 'signedIn', session: { expiresAt: 60_000 } })
  })

  test('a session without a refresh token is never refreshed', () => {
    const bare = { ...one, token: { tokenType: 'Bearer', accessToken: 'bare' } }
    const state: SessionState = { status: 'signedIn', ...held, session: bare }
    const { state: next, effects } = transition(state, { type: 'tokenNeeded', at })
    expect(next.status).toBe('expired')
    expect(effects).toEqual([])
  })
})

// Times increase until the clock is set back; epochs are guessed, so late responses are frequent.
const step = fc.record({
  wait: fc.integer({ min: 0, max: 30_000 }),
  lifetime: fc.integer({ min: 1, max: 60_000 }),
  behind: fc.integer({ min: 0, max: 2 }),
  name: fc.constantFrom('a', 'b', 'c'),
  type: fc.constantFrom(...(Object.keys(transitions.signedOut) as SessionEvent['type'][])),
  empty: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function eventOf(step: Step, state: SessionState, now: number): SessionEvent {
  const { type, name, lifetime } = step
  const epoch = state.epoch - step.behind
  const next = session(`${name} ${now}`, now, lifetime)
  switch (type) {
    case 'tokenReceived':
      return { type, session: next, at: now }
    case 'storageChanged':
      return { type, session: step.empty ? null : next, at: now }
    case 'refreshSucceeded':
      return { type, epoch, session: next, at: now }
    case 'refreshRejected':
      return { type, epoch, error }
    case 'signInFailed':
      return { type, error }
    case 'refreshFailed':
      return { type, epoch, at: now }
    case 'tokenInvalid':
    case 'tokenRefused': {
      const current = state.status === 'signedOut' ? '' : state.session.token.accessToken
      const accessToken = step.empty ? 'older' : current
      return { type, accessToken, at: now, error }
    }
    case 'timePassed':
    case 'tokenNeeded':
    case 'clockSetBack':
      return { type, at: now }
    case 'signOutRequested':
    case 'refreshRequested':
    case 'online':
      return { type }
  }
}

interface Move {
  before: SessionState
  event: SessionEvent
  after: SessionState
  effects: readonly SessionEffect[]
  now: number
}

function always(check: (move: Move, earlier: readonly Move[]) => void): void {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let state = signedOut
      let now = 0
      const moves: Move[] = []
      for (const one of steps) {
        now += one.type === 'clockSetBack' ? -one.lifetime : one.wait
        const before = state
        const event = eventOf(one, before, now)
        const { state: after, effects } = transition(before, event)
        const move = { before, event, after, effects, now }
        check(move, moves)
        moves.push(move)
        state = after
      }
    }),
    { numRuns: process.env['GROVE_TESTS'] === 'short' ? 200 : 500 },
  )
}

const tokenOf = (state: SessionState) => sessionOf(state)?.token.accessToken
const effectsOf = (move: Move) => move.effects.map((effect) => effect.type)

describe('in any order of events', () => {
  test('I1: signed out holds no token', () => {
    always(({ after }) => {
      if (after.status !== 'signedOut') return
      const { error, ...rest } = after
      expect(Object.keys(rest)).toEqual(['status', 'epoch'])
      expect([undefined, refusal]).toContain(error)
    })
  })

  test('I2: the epoch never falls, and grows with every other session and refresh', () => {
    always(({ before, after, event }) => {
      expect(after.epoch).toBeGreaterThanOrEqual(before.epoch)
      const left = before.status !== 'signedOut' && after.status === 'signedOut'
      const adopted = event.type === 'storageChanged' && tokenOf(after) !== tokenOf(before)
      const refreshes = before.status !== 'refreshing' && after.status === 'refreshing'
      if (event.type === 'tokenReceived' || left || adopted || refreshes)
        expect(after.epoch).toBe(before.epoch + 1)
    })
  })

  test('I3: one refresh at a time', () => {
    always((move) => {
      const started = effectsOf(move).filter((type) => type === 'startRefresh').length
      const entered = move.before.status !== 'refreshing' && move.after.status === 'refreshing'
      expect(started).toBe(entered ? 1 : 0)
    })
  })

  test('I4: the answer of an older refresh changes nothing', () => {
    always(({ before, event, after, effects }) => {
      if (!('epoch' in event) || event.epoch === before.epoch) return
      expect(after).toBe(before)
      expect(effects).toEqual([])
    })
  })

  test('I5: a sign-out clears first, then tells the service, and needs no answer', () => {
    always((move) => {
      if (move.event.type !== 'signOutRequested') return
      expect(move.after.status).toBe('signedOut')
      const types = effectsOf(move).filter((type) => type !== 'stopRefresh')
      expect(types).toEqual(move.before.status === 'signedOut' ? [] : ['clear', 'tellSignOut'])
    })
  })

  test('I6: only a sign-out, a rejection, a wrong token or an emptied storage ends a session', () => {
    always(({ before, event, after }) => {
      if (before.status === 'signedOut' || after.status !== 'signedOut') return
      expect(['signOutRequested', 'refreshRejected', 'tokenInvalid', 'storageChanged']).toContain(
        event.type,
      )
    })
  })

  test('I7: only the service’s own answer is stored; what came from the storage is not', () => {
    always((move) => {
      if (!effectsOf(move).includes('store')) return
      expect(['tokenReceived', 'refreshSucceeded']).toContain(move.event.type)
    })
  })

  test('I8: an automatic refresh respects the pause; a requested one does not wait', () => {
    always((move) => {
      const { before, event, now } = move
      if (before.status === 'signedOut' || !effectsOf(move).includes('startRefresh')) return
      if (event.type !== 'refreshRequested') expect(now).toBeGreaterThanOrEqual(before.notBefore)
    })
  })

  test('I9: a refreshed token is left alone for the spacing or its own lifetime', () => {
    always((move, earlier) => {
      if (!effectsOf(move).includes('startRefresh')) return
      if (move.event.type === 'refreshRequested') return
      const last = earlier.at(-1)
      if (last?.event.type !== 'refreshSucceeded' || last.before.status !== 'refreshing') return
      if (last.event.epoch !== last.before.epoch) return
      const { session } = last.event
      const life = Math.max(session.expiresAt - session.receivedAt, 1000)
      expect(move.now - last.now).toBeGreaterThanOrEqual(Math.min(life, REFRESH_SPACING))
    })
  })

  test('I10: an expired token is never returned as signed in', () => {
    always(({ event, after, now }) => {
      if (event.type !== 'tokenNeeded' || after.status !== 'signedIn') return
      expect(now).toBeLessThan(after.session.expiresAt)
    })
  })

  test('I11: leaving a running refresh for another session stops it', () => {
    always((move) => {
      const { before, event } = move
      const ends = ['refreshSucceeded', 'refreshFailed', 'refreshRejected'].includes(event.type)
      const left = before.status === 'refreshing' && move.after.status !== 'refreshing'
      expect(effectsOf(move).includes('stopRefresh')).toBe(left && !ends)
    })
  })

  test('I12: while signed in, a timer is set for the token’s end', () => {
    always(({ before, after, effects }) => {
      if (after.status !== 'signedIn') return
      const kept = before.status === 'signedIn' && before.session === after.session
      const wakes = effects.filter((effect) => effect.type === 'wake').map((effect) => effect.at)
      if (!kept) expect(wakes).toEqual([after.session.expiresAt])
    })
  })

  test('I13: after the clock was set back, no pause and no renewable token lasts', () => {
    always(({ event, after, now }) => {
      if (event.type !== 'clockSetBack' || after.status === 'signedOut') return
      expect(after.notBefore).toBe(0)
      expect(after.session.expiresAt).toBeLessThanOrEqual(now)
    })
  })
})
