import { sql } from 'kysely'
import type { Db } from './database.ts'

/** What a connection waits for, described for a person who could end the wait. */
export interface LockWaits {
  /** The last wait that was seen, as part of a sentence. */
  seen: () => string | undefined
  stop: () => void
}

/** Checks, over another connection, what the connection of a server process waits for. */
export function watchLockWaits(
  db: Db,
  pid: number,
  { everyMs, say = () => {} }: { everyMs: number; say?: (seen: string) => void },
): LockWaits {
  let seen: string | undefined
  let isLooking = false
  const look = async () => {
    const found = await findWait(db, pid)
    if (found !== undefined && found !== seen) say(found)
    seen = found ?? seen
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look()
      // This only informs, and must never cause a failure.
      .catch(() => {})
      .finally(() => (isLooking = false))
  }, everyMs)
  return { seen: () => seen, stop: () => clearInterval(timer) }
}

async function findWait(db: Db, pid: number): Promise<string | undefined> {
  const { rows } = await sql<{
    what: string
    pid: number | null
    application: string | null
    state: string | null
    since: string | null
  }>`
    select coalesce(wait.relation::regclass::text, 'a ' || wait.locktype) as what, blocker.pid,
      nullif(activity.application_name, '') as application, activity.state,
      to_char(activity.xact_start at time zone 'UTC', 'HH24:MI:SS') as since
    from pg_locks as wait
    left join lateral unnest(pg_blocking_pids(wait.pid)) as blocker (pid) on true
    left join pg_stat_activity as activity on activity.pid = blocker.pid
    where wait.pid = ${pid} and not wait.granted
    order by activity.xact_start limit 1
  `.execute(db)
  const [row] = rows
  if (!row) return undefined
  if (row.pid === null) return row.what
  // A role without the necessary right sees no details of other sessions.
  const more = [row.application, row.state, row.since && `since ${row.since} UTC`].filter(
    (part) => part !== null,
  )
  return `${row.what}, used by server process ${row.pid}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}
