import type { RolesClaim } from './roles.ts'
import { createSession, type Session, withUnknownAge } from './session.ts'
import { CLOCK_JITTER } from './session-times.ts'
import type { SafeStorage } from './storage.ts'
import { isText, parseToken } from './token.ts'

export interface SessionStore {
  /** The name shared by all tabs of this stage and realm. */
  readonly name: string
  /** The current user's session; null if there is none or its record cannot be read. */
  read(now: number): Session | null
  write(session: Session): void
  clear(): void
  /** Removes what was written for a session that is no longer current. */
  forget(session: Session): void
  /** The key of the anonymous token. */
  readonly anonymous: string
  /** The stored session with its times, even if the clock has been set back since. */
  readAt(key: string): Session | null
  writeAt(key: string, session: Session): boolean
  removeAt(key: string): void
}

/**
 * Keeps one record per user and a pointer to the current one, separately for each stage and realm.
 * Anonymous tokens have their own key and never replace a user's.
 */
export function createSessionStore(
  storage: SafeStorage,
  scope: { stage?: string; realm: string; rolesClaim?: RolesClaim | undefined },
): SessionStore {
  const name = `grove.auth/${escape(scope.stage ?? 'default')}/${escape(scope.realm)}`
  const pointer = `${name}/current`
  let last: { text: string; session: Session | null } | null = null

  const parsed = (text: string, now: number) => parse(text, now, scope.rolesClaim)
  const writeAt = (key: string, session: Session) => storage.setItem(key, format(session))

  const keyOf = ({ userId }: Session) => `${name}/user/${escape(userId)}`

  return {
    name,
    read(now) {
      // A missing value reads as '', which parses to no session.
      const text = storage.getItem(storage.getItem(pointer) ?? '') ?? ''
      // The same text gives the same session, so frequent reads cost next to nothing.
      if (last?.text !== text) last = { text, session: parsed(text, now) }
      return last.session
    },
    write(session) {
      const key = keyOf(session)
      const previous = storage.getItem(pointer)
      const isStored = writeAt(key, session)
      // Do not rewrite a pointer that is already right: it could undo another tab's sign-out. A
      // denied storage only remembers what it last held, and may be empty when it becomes available.
      if (previous === key && isStored) return
      storage.setItem(pointer, key)
      if (previous && previous !== key) storage.removeItem(previous)
    },
    clear() {
      const key = storage.getItem(pointer)
      storage.removeItem(pointer)
      if (key) storage.removeItem(key)
    },
    forget(session) {
      const key = keyOf(session)
      if (storage.getItem(pointer) === key || storage.getItem(key) !== format(session)) return
      storage.removeItem(key)
    },
    anonymous: `${name}/anonymous`,
    readAt: (key) => parsed(storage.getItem(key) ?? '', Infinity),
    writeAt,
    removeAt: (key) => storage.removeItem(key),
  }
}

// Not encodeURIComponent alone, which throws on a lone surrogate.
const escape = (part: string): string => part.replace(/[%/]/g, encodeURIComponent)

// A guessed skew is guessed again.
const format = ({ token, receivedAt, known, userId }: Session): string =>
  JSON.stringify({ ...token, receivedAt, skew: known, userId })

function parse(text: string, now: number, rolesClaim?: RolesClaim): Session | null {
  try {
    const record: unknown = JSON.parse(text)
    const token = parseToken(record)
    if (!token) return null
    const { receivedAt, skew, userId } = record as Record<string, unknown>
    const isAgeKnown = typeof receivedAt === 'number' && receivedAt <= now + CLOCK_JITTER
    const session = createSession(token, {
      receivedAt: isAgeKnown ? Math.min(receivedAt, now) : now,
      known: isAgeKnown && typeof skew === 'number' ? skew : undefined,
      userId: isText(userId) ? userId : undefined,
      rolesClaim,
    })
    return isAgeKnown ? session : withUnknownAge(session, now)
  } catch {
    return null
  }
}
