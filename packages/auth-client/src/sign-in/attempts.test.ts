import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../test/fixtures.ts'
import { openStorage } from '../session/storage.ts'
import { createAttempts, type Secrets } from './attempts.ts'

// The lifecycle of a record, as in SPEC.md: each state, and what its callback then returns.

type Life = 'waiting' | 'used' | 'absent'
interface Exchange extends Secrets {
  callback: string
  provider: string
  redirect: string
}

type Claim = ReturnType<ReturnType<typeof createAttempts<Exchange>>['claim']>

const MINUTES = 60_000
const SCOPES = ['one', 'two'] as const

const client = fc.integer({ min: 0, max: SCOPES.length - 1 })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('start'), client }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('callback'), client, which: fc.nat({ max: 30 }) }),
  },
  fc.record({
    type: fc.constant('time'),
    passed: fc.constantFrom(1, 4 * MINUTES, 6 * MINUTES, 11 * MINUTES),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Begun {
  state: string
  client: number
  at: number
  life: Life
  claimed: number
}

interface Moment {
  asked: Begun
  by: number
  /** The state of the record when its callback arrived. */
  life: Life
  isLate: boolean
  claim: Claim
  before: Map<string, string>
  after: Map<string, string>
}

const secret = (state: string): Exchange => ({
  callback: 'https://auth.test/callback',
  provider: 'grove',
  redirect: 'https://console.test/callback',
  nonce: `nonce of ${state}`,
  verifier: `verifier of ${state}`,
})

/** The stored records, by their state. */
function recordsOf(items: Map<string, string>): Map<string, string> {
  const records = JSON.parse(items.get('grove.auth/external') ?? '[]') as { state: string }[]
  return new Map(records.map((record) => [record.state, JSON.stringify(record)]))
}

function always(check: (moment: Moment, begun: readonly Begun[]) => void): void {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps: Step[]) => {
      const stored = memoryStorage()
      const storage = openStorage(stored)
      const begun: Begun[] = []
      let now = 0
      const clients = SCOPES.map((scope) => createAttempts<Exchange>(storage, scope, () => now))
      for (const one of steps) {
        if (one.type === 'time') now += one.passed
        if (one.type === 'start') {
          const state = `state ${begun.length}`
          clients[one.client]?.add(state, `/${state}`, secret(state))
          begun.push({ state, client: one.client, at: now, life: 'waiting', claimed: 0 })
          const oldest = begun.at(-17)
          if (oldest) oldest.life = 'absent'
        }
        if (one.type === 'callback') {
          const asked = begun.at(-1 - one.which)
          if (!asked) continue
          const { life } = asked
          const before = recordsOf(stored.items)
          const claim = (clients[one.client] as (typeof clients)[0]).claim(asked.state)
          if (claim.code === null) {
            asked.claimed += 1
            asked.life = 'used'
          }
          const after = recordsOf(stored.items)
          const isLate = now - asked.at > 10 * MINUTES
          check({ asked, by: one.client, life, isLate, claim, before, after }, begun)
        }
      }
    }),
    { numRuns: process.env['GROVE_TESTS'] === 'short' ? 100 : 500 },
  )
}

/** The table of SPEC.md: the result of a callback with this state. */
function expected({ asked, by, life, isLate }: Moment): Claim['code'] {
  if (life === 'absent') return 'state_unknown'
  if (by !== asked.client) return 'state_foreign'
  if (life === 'used') return 'state_replayed'
  return isLate ? 'state_expired' : null
}

describe('in any order of logins and callbacks', () => {
  test('a callback gets the outcome in the table', () => {
    always((moment) => expect(moment.claim.code).toBe(expected(moment)))
  })

  test('I14: a state is exchanged at most once, by its own client, within ten minutes', () => {
    always(({ asked, by, isLate, claim }) => {
      expect(asked.claimed).toBeLessThanOrEqual(1)
      if (claim.code !== null) return expect(claim).not.toHaveProperty('exchange')
      expect([by, isLate]).toEqual([asked.client, false])
      expect(claim.exchange).toEqual(secret(asked.state))
    })
  })

  test('I15: a used record contains no secret', () => {
    always(({ after }, begun) => {
      for (const { state, life } of begun) {
        if (life === 'used') expect(after.get(state) ?? '').not.toMatch(/nonce of|verifier of/)
      }
    })
  })

  test('I16: a callback changes only its own record, and a foreign or refused one changes none', () => {
    always(({ asked, claim, before, after }) => {
      if (claim.code === null) {
        before.delete(asked.state)
        after.delete(asked.state)
      }
      expect(after).toEqual(before)
    })
  })

  test('I17: the last sixteen logins are kept, and no more', () => {
    always(({ after }, begun) => {
      const kept = begun.slice(-16).map(({ state }) => state)
      expect([...after.keys()]).toEqual(kept)
    })
  })

  test('only its own client learns where a login leads', () => {
    always(({ asked, claim }) => {
      const isOwn = claim.code !== 'state_unknown' && claim.code !== 'state_foreign'
      expect(claim.returnTo).toBe(isOwn ? `/${asked.state}` : null)
    })
  })
})
