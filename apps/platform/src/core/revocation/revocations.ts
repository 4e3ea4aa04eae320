import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { AccessToken } from '../http/access.ts'
import { accessTokenSeconds } from '../http/access-token-lifetime.ts'

/** What was revoked; migrations/0002 explains the ids of each kind. */
export interface Revocation {
  kind: 'session' | 'role' | 'grant' | 'member'
  subject: string
  /** Milliseconds since the epoch, by the database's clock. */
  at: number
}

/**
 * What was revoked in any process: an ended session, a removed role or right, a key. Every process on
 * the same database knows it as soon as a notice arrives, and within a second without one.
 */
export interface Revocations {
  /** Whether a token claims something revoked since it was issued. Does not query the database. */
  isRevoked: (token: AccessToken) => boolean
  on: (listener: (revocation: Revocation) => void) => () => void
  /** Calls back once, when something of these is revoked. Returns a function that cancels it. */
  onceLost: (subjects: readonly string[], lost: () => void) => () => void
  close: () => void
}

export const revocationChannel = 'grove_revocation'
/** Notices may be lost: no process learns of a revocation later than this plus a query. */
const lookMs = 1000
/** No token is older, whatever clock signed it. */
const keptMs = (accessTokenSeconds + 120) * 1000
const sweepMs = 60_000

interface Row extends Revocation {
  number: number
}

export async function openRevocations({
  db,
  notices,
}: Pick<Database, 'db' | 'notices'>): Promise<Revocations> {
  const sessions = new Map<string, number>()
  const roles = new Map<string, number>()
  const listeners = new Set<(revocation: Revocation) => void>()
  /** Those already read: a long transaction makes later ones be read again. */
  const seen = new Map<number, number>()
  let since = '0'
  let isClosed = false
  let isReading = false
  let isAsked = false
  let timer: NodeJS.Timeout | undefined
  let sweptAt = performance.now()

  async function read(): Promise<void> {
    // Everything that was uncommitted at the last read, by the snapshot's oldest transaction.
    const { rows } = await sql<{ xmin: string; found: Row[] }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, coalesce((
        select json_agg(json_build_object('number', number, 'kind', kind, 'subject', subject,
          'at', (extract(epoch from at) * 1000)::float8) order by number)
        from platform.revocation where xact >= ${since}::xid8), '[]') as found`.execute(db)
    const [answer] = rows
    if (!answer) return
    since = answer.xmin
    for (const { number, ...revocation } of answer.found) {
      if (seen.has(number)) continue
      seen.set(number, revocation.at)
      take(revocation)
    }
  }

  function take(revocation: Revocation): void {
    const { kind, subject, at } = revocation
    if (kind === 'session') sessions.set(subject, at)
    if (kind === 'role') roles.set(subject, at)
    for (const listener of listeners) listener(revocation)
  }

  async function sweep(): Promise<void> {
    sweptAt = performance.now()
    const { rows } = await sql<{ until: number }>`
      with swept as (
        delete from platform.revocation
        where at < now() - make_interval(secs => ${keptMs / 1000}::float8))
      select (extract(epoch from now()) * 1000)::float8 as until`.execute(db)
    const oldest = (rows[0]?.until ?? 0) - keptMs
    for (const known of [sessions, roles, seen] as Map<unknown, number>[])
      for (const [key, at] of known) if (at < oldest) known.delete(key)
  }

  /** One read at a time; a notice that arrives meanwhile triggers another. */
  async function look(): Promise<void> {
    if (isReading) {
      isAsked = true
      return
    }
    isReading = true
    clearTimeout(timer)
    try {
      do {
        isAsked = false
        await read()
      } while (isAsked)
      if (performance.now() - sweptAt > sweepMs) await sweep()
    } catch {
      // The database is unreachable, which every call will report; the next poll finds what was
      // missed.
    } finally {
      isReading = false
      if (!isClosed) timer = setTimeout(() => void look(), lookMs).unref()
    }
  }

  // Before serving: a previous process may have revoked a token's session.
  await read()
  const stop = notices.on(revocationChannel, () => void look())
  timer = setTimeout(() => void look(), lookMs).unref()

  const on: Revocations['on'] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    isRevoked: ({ userId, sessionId, roles: claimed, issuedAt }) =>
      (sessionId !== undefined && sessions.has(sessionId)) ||
      (roles.size > 0 && claimed.some((role) => (roles.get(`${userId} ${role}`) ?? 0) >= issuedAt)),
    on,
    onceLost(subjects, lost) {
      const end = on(({ kind, subject }) => {
        const isTheirs =
          kind === 'role' || kind === 'member'
            ? subjects.includes(subject.slice(0, subject.indexOf(' ')))
            : subjects.includes(subject)
        if (!isTheirs) return
        end()
        lost()
      })
      return end
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      stop()
      listeners.clear()
    },
  }
}
