import type { Pool } from 'pg'
import { isDatabaseUnavailable } from './unavailable.ts'
import type { DatabaseLog } from './pools.ts'

const everyMinute = 60_000
const walLimit = 64 * 2 ** 20

/**
 * PGlite has no background processes: without this its WAL grows forever, each start after a kill
 * replays all of it, and the planner never learns how large a table is. The thresholds for analyze
 * and vacuum are autovacuum's defaults.
 */
export async function upkeep(pool: Pool, limit = walLimit): Promise<void> {
  // A connection reports its changes at most once a second. Without this, those of the last second
  // are missed, and a table full of dead rows keeps them until the next round.
  await pool.query('select pg_stat_force_next_flush()')
  const { rows: due } = await pool.query<{ command: string }>(
    `select format(
       case when n_dead_tup > 50 + 0.2 * greatest(reltuples, 0)
         then 'vacuum (analyze) %I.%I' else 'analyze %I.%I' end,
       tables.schemaname, tables.relname) as command
     from pg_stat_user_tables tables join pg_class on pg_class.oid = tables.relid
     where n_dead_tup > 50 + 0.2 * greatest(reltuples, 0)
        or n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)
        or (reltuples < 0 and pg_relation_size(tables.relid) > 0)`,
  )
  // A large table takes long.
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    for (const { command } of due) await client.query(command)
    await client.query('reset statement_timeout')
  } finally {
    client.release()
  }
  const { rows } = await pool.query<{ wal: string }>(
    'select pg_current_wal_insert_lsn() - redo_lsn as wal from pg_control_checkpoint()',
  )
  if (Number(rows[0]?.wal) > limit) await pool.query('checkpoint')
}

/** Returns a function that stops it. */
export function keepUp(pool: Pool, log?: DatabaseLog): () => void {
  const timer = setInterval(() => {
    upkeep(pool).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) log?.warn({ err: error }, 'upkeep of the database failed')
    })
  }, everyMinute)
  timer.unref()
  return () => clearInterval(timer)
}
