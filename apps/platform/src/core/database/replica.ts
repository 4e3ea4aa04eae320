import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Db } from './database.ts'
import { openPostgresPool, type PostgresPoolOptions } from './pools.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

/** A streaming replica for reads whose results may be a few seconds old. */
export interface Replica {
  db: Db
  /** Records a change by an account. Await this before answering the call that made the change. */
  wrote: (accountId: string) => Promise<void>
  /** Whether the replica has the account's own changes, and is recent enough otherwise. */
  isCurrentFor: (accountId: string) => Promise<boolean>
  status: () => {
    /** Whether reads go to the replica. */
    isUsed: boolean
    /** Its lag in seconds, without the second between two checks. */
    lag: number
    /** Reads that could go to the replica, by the server that they went to. */
    reads: Readonly<Record<'replica' | 'primary', number>>
  }
  close: () => Promise<void>
}

export interface ReplicaOptions extends PostgresPoolOptions {
  url: string
  /** The maximum lag for reads from the replica, in milliseconds. */
  maxLagMs: number
}

const checkMs = 1000
/** One hour's worth: for a replica further behind, only that it lags this much is known. */
const maxMarks = 3600

/** A position in the write-ahead log, and when the primary reached it. */
interface Mark {
  place: bigint
  at: number
}

/**
 * Once a second, compares the replica's position with earlier ones of the primary. The position of
 * each account's last change is stored in the primary, so that every process knows it.
 */
export async function openReplica(
  primary: Db,
  { url, maxLagMs, ...options }: ReplicaOptions,
): Promise<Replica> {
  await sql`create schema if not exists grove`.execute(primary)
  // Unlogged: after a crash it is worthless.
  await sql`create unlogged table if not exists grove.recent_change (
    account_id text primary key,
    place pg_lsn not null
  )`.execute(primary)
  const pool = openPostgresPool(url, { ...options, side: 'replica' })
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  const reads = { replica: 0, primary: 0 }
  /** Positions of the primary that the replica has not reached yet, as far as known. */
  let ahead: Mark[] = []
  /** When the primary was at the replica's current position. */
  let currentAt = performance.now()
  /** The replica's position; undefined while it is unavailable. */
  let replayed: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function check(): Promise<void> {
    try {
      const at = performance.now()
      const place = await placeOf(primary, sql`pg_current_wal_lsn()`)
      ahead = [...ahead, { place: numberOf(place), at }].slice(-maxMarks)
      replayed = await placeOf(db, replayPlace)
      const reached = numberOf(replayed)
      currentAt = ahead.findLast((mark) => mark.place <= reached)?.at ?? currentAt
      ahead = ahead.filter((mark) => mark.place > reached)
    } catch (error) {
      replayed = undefined
      options.log?.warn({ err: error }, 'the replica cannot be compared with the primary')
    }
    if (!isClosed) timer = setTimeout(() => void check(), checkMs).unref()
  }

  // It also grows while the replica is unavailable.
  const lagMs = () => Math.max(0, performance.now() - currentAt - checkMs)
  const isUsed = () => replayed !== undefined && lagMs() <= maxLagMs
  await check()
  return {
    db,
    async wrote(accountId) {
      await sql`
        insert into grove.recent_change as known (account_id, place)
        values (${accountId}, pg_current_wal_insert_lsn())
        on conflict (account_id) do update set place = greatest(known.place, excluded.place)
      `.execute(primary)
    },
    async isCurrentFor(accountId) {
      const isCurrent = isUsed() && (await hasChangesOf(accountId))
      reads[isCurrent ? 'replica' : 'primary'] += 1
      return isCurrent
    },
    status: () => ({ isUsed: isUsed(), lag: lagMs() / 1000, reads }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await db.destroy()
    },
  }

  async function hasChangesOf(accountId: string): Promise<boolean> {
    const { rows } = await sql<{ place: string }>`
      select place::text from grove.recent_change where account_id = ${accountId}`.execute(primary)
    const place = rows[0] && numberOf(rows[0].place)
    if (place === undefined || (replayed !== undefined && place <= numberOf(replayed))) return true
    // It may have advanced since the last check.
    try {
      replayed = await placeOf(db, replayPlace)
      return place <= numberOf(replayed)
    } catch {
      return false
    }
  }
}

/** Null for a promoted server, which would report its last position as a replica forever. */
const replayPlace = sql`case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end`

async function placeOf(db: Db, place: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await sql<{ place: string }>`select ${place}::text as place`.execute(db)
  if (!rows[0]?.place) throw new Error('The server has no place in a write-ahead log.')
  return rows[0].place
}

/** The number of a position such as `16/B374D848`: two halves of 32 bits. */
function numberOf(place: string): bigint {
  const [high = '', low = ''] = place.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** The dependencies of a read that may go to the replica. */
interface ReadContext {
  db: unknown
  replica?: Replica | undefined
}

/**
 * Reads data that may be a few seconds old: lists, charts, exports. Uses the replica if it has the
 * account's own changes, otherwise the primary; a read that fails at the replica is repeated at the
 * primary.
 *
 *     readStale(context, actor, (from) => listTrees(from, actor, query))
 */
export async function readStale<Context extends ReadContext, T>(
  context: Context,
  { id }: { id: string | null },
  read: (from: Context) => Promise<T>,
): Promise<T> {
  const from = await staleContext(context, id)
  if (from === context) return read(context)
  try {
    return await read(from)
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error
    return read(context)
  }
}

/** For a streamed answer, which cannot start over; use `readStale` for all others. */
export async function staleContext<Context extends ReadContext>(
  context: Context,
  accountId: string | null,
): Promise<Context> {
  const { replica } = context
  if (accountId === null || !(await replica?.isCurrentFor(accountId))) return context
  return { ...context, db: replica?.db }
}
