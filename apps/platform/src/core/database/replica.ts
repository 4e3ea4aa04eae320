import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Db } from './database.ts'
import { openPostgresPool, type PostgresPoolOptions } from './pools.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

/** A streaming replica that takes reads whose answer may be a few seconds old. */
export interface Replica {
  db: Db
  /** Records a change by an account. Await this before answering the call that made the change. */
  wrote: (accountId: string) => Promise<void>
  /** Whether the account would find there what it has changed, and the rest not too old. */
  isCurrentFor: (accountId: string) => Promise<boolean>
  status: () => {
    /** Whether reads go there. */
    isUsed: boolean
    /** How far it is behind, in seconds, but for the second between two looks. */
    lag: number
    /** Reads that could go there, by where they went. */
    reads: Readonly<Record<'replica' | 'primary', number>>
  }
  close: () => Promise<void>
}

export interface ReplicaOptions extends PostgresPoolOptions {
  url: string
  /** Up to this lag reads go to the replica, in milliseconds. */
  maxLagMs: number
}

const checkMs = 1000
/** Of an hour: a replica that is further behind is known to be so only. */
const maxMarks = 3600

/** A place in the write-ahead log, and when the primary had got there. */
interface Mark {
  place: bigint
  at: number
}

/**
 * Each second compares how far the replica is with where the primary was. What an account has changed last
 * is remembered in the primary, so that any process knows.
 */
export async function openReplica(
  primary: Db,
  { url, maxLagMs, ...options }: ReplicaOptions,
): Promise<Replica> {
  await sql`create schema if not exists grove`.execute(primary)
  // Unlogged: it is worth nothing after a crash.
  await sql`create unlogged table if not exists grove.recent_change (
    account_id text primary key,
    place pg_lsn not null
  )`.execute(primary)
  const pool = openPostgresPool(url, { ...options, side: 'replica' })
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  const reads = { replica: 0, primary: 0 }
  /** Where the primary was and the replica is not yet, as far as is known. */
  let ahead: Mark[] = []
  /** When the primary was where the replica is now. */
  let currentAt = performance.now()
  /** How far the replica is; undefined while it does not answer. */
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

  // Also of one that does not answer for long.
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
    // It is further by now.
    try {
      replayed = await placeOf(db, replayPlace)
      return place <= numberOf(replayed)
    } catch {
      return false
    }
  }
}

/** None of a server that was promoted, which would name for ever where it was then. */
const replayPlace = sql`case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end`

async function placeOf(db: Db, place: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await sql<{ place: string }>`select ${place}::text as place`.execute(db)
  if (!rows[0]?.place) throw new Error('The server has no place in a write-ahead log.')
  return rows[0].place
}

/** Of a place such as `16/B374D848`: two halves of 32 bits. */
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
 * Reads what may be a few seconds old: lists, charts, exports. At the replica if there is one that has
 * what the account has changed, else at the primary; there too what fails at the replica.
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

/** For an answer that is streamed, which cannot begin again: `readStale` for all others. */
export async function staleContext<Context extends ReadContext>(
  context: Context,
  accountId: string | null,
): Promise<Context> {
  const { replica } = context
  if (accountId === null || !(await replica?.isCurrentFor(accountId))) return context
  return { ...context, db: replica?.db }
}
