import { CLOCK_JITTER, createSession, type Session, withUnknownAge } from './session.ts'
import type { SafeStorage } from './storage.ts'
import { parseToken } from './token.ts'

export interface SessionStore {
  /** The name that is shared by every tab of this stage and realm. */
  readonly name: string
  /** The current user's session; null when there is none or its record cannot be read. */
  read(now: number): Session | null
  write(session: Session): void
  clear(): void
  /** Removes what was written of a session that by now is not the current one. */
  forget(session: Session): void
  /** With the times as they were stored, though the clock was set back since. */
  readAnonymous(): Session | null
  writeAnonymous(session: Session): void
  clearAnonymous(): void
}

/**
 * Keeps one record a user and a pointer to the current one, apart for each stage and realm.
 * Anonymous tokens have a key of their own and never replace a user's.
 */
export function createSessionStore(
  storage: SafeStorage,
  scope: { stage: string; realm: string },
): SessionStore {
  const name = `grove.auth/${escape(scope.stage)}/${escape(scope.realm)}`
  const pointer = `${name}/current`
  const anonymous = `${name}/anonymous`
  let last: { text: string; session: Session | null } | null = null

  const keyOf = ({ userId }: Session) => `${name}/user/${escape(userId ?? '')}`

  return {
    name,
    read(now) {
      // Nothing reads as '', which parses to no session.
      const text = storage.getItem(storage.getItem(pointer) ?? '') ?? ''
      // The same text gives the same session, so that asking often costs next to nothing.
      if (last?.text !== text) last = { text, session: parse(text, now) }
      return last.session
    },
    write(session) {
      const key = keyOf(session)
      const previous = storage.getItem(pointer)
      const isStored = storage.setItem(key, format(session))
      // Leave the pointer alone where it is right: writing it could undo another tab's sign-out. A
      // denied storage only remembers what it last held, and may hold nothing when it comes back.
      if (previous === key && isStored) return
      storage.setItem(pointer, key)
      if (previous !== null && previous !== key) storage.removeItem(previous)
    },
    clear() {
      const key = storage.getItem(pointer)
      storage.removeItem(pointer)
      if (key !== null) storage.removeItem(key)
    },
    forget(session) {
      const key = keyOf(session)
      if (storage.getItem(pointer) === key || storage.getItem(key) !== format(session)) return
      storage.removeItem(key)
    },
    readAnonymous() {
      return parse(storage.getItem(anonymous) ?? '', Infinity)
    },
    writeAnonymous(session) {
      storage.setItem(anonymous, format(session))
    },
    clearAnonymous: () => storage.removeItem(anonymous),
  }
}

// Not the whole of encodeURIComponent, which throws on a lone surrogate.
function escape(part: string): string {
  return part.replace(/[%/]/g, encodeURIComponent)
}

function format({ token, receivedAt }: Session): string {
  return JSON.stringify({ ...token, receivedAt })
}

function parse(text: string, now: number): Session | null {
  try {
    const record: unknown = JSON.parse(text)
    const token = parseToken(record)
    if (token === null) return null
    const { receivedAt } = record as { receivedAt?: unknown }
    return typeof receivedAt === 'number' && receivedAt <= now + CLOCK_JITTER
      ? createSession(token, Math.min(receivedAt, now))
      : withUnknownAge(token, now)
  } catch {
    return null
  }
}
