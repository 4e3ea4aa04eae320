import type { SafeStorage, SessionStorageAdapter } from '../session/storage.ts'

/** Milliseconds within which the provider must redirect the user back. */
const LIFETIME = 600_000

// Drop the oldest: a tab that goes back and forth must not fill its storage.
const KEPT = 16

const KEY = 'grove.auth/external'

/** What the callback needs but a URL must not contain; deleted after use. */
export interface Secrets {
  nonce: string
  /** Only with PKCE. */
  verifier: string | null
}

interface Attempt<E> {
  state: string
  /** The service, realm and stage of the login. */
  scope: string
  startedAt: number
  returnTo: string | null
  exchange: E | null
}

type Claim<E> =
  | {
      code: 'state_unknown' | 'state_replayed' | 'state_expired' | 'state_foreign'
      returnTo: string | null
    }
  | { code: null; returnTo: string | null; exchange: E }

/**
 * The logins that this tab started, one record each, so concurrent logins do not interfere. A used
 * record stays without its secrets, to distinguish a replay from an unknown state.
 */
export function createAttempts<E>(storage: SafeStorage, scope: string, clock: () => number) {
  const write = (attempts: Attempt<E>[]) =>
    storage.setItem(KEY, JSON.stringify(attempts.slice(-KEPT)))

  return {
    /** False if the record is not kept beyond this page. */
    add(state: string, returnTo: string | null, exchange: E): boolean {
      return write([...read<E>(storage), { state, scope, startedAt: clock(), returnTo, exchange }])
    },
    /** Consumes the record: only the first claim to a state gets it. */
    claim(state: string): Claim<E> {
      const attempts = read<E>(storage)
      const attempt = attempts.find((one) => one.state === state)
      if (!attempt) return { code: 'state_unknown', returnTo: null }
      const { exchange, returnTo } = attempt
      // Leave another client's record alone, and do not reveal its `returnTo`.
      if (attempt.scope !== scope) return { code: 'state_foreign', returnTo: null }
      if (exchange === null) return { code: 'state_replayed', returnTo }
      if (clock() - attempt.startedAt > LIFETIME) return { code: 'state_expired', returnTo }
      attempt.exchange = null
      write(attempts)
      return { code: null, returnTo, exchange }
    },
  }
}

function read<E>(storage: SessionStorageAdapter): Attempt<E>[] {
  try {
    const found: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.filter(isAttempt<E>) : []
  } catch {
    return []
  }
}

function isAttempt<E>(value: unknown): value is Attempt<E> {
  const { state, scope, startedAt, exchange } = Object(value) as Partial<Attempt<E>>
  return (
    typeof state === 'string' &&
    typeof scope === 'string' &&
    typeof startedAt === 'number' &&
    typeof exchange === 'object'
  )
}
