import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Clock {
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number
  stop: () => void
}

const everyMs = 10_000

/**
 * The database's time, shared by all processes: a process whose own clock is ahead would lock people
 * out of the others. Between two readings it follows the monotonic clock, so jumps of this machine’s
 * clock have no effect.
 */
export async function databaseClock(db: Db): Promise<Clock> {
  let base = await readTime(db)
  const now = () => base.ms + performance.now() - base.at
  const correct = async () => {
    const read = await readTime(db)
    // A reading that waited for the database is less exact than the clock itself.
    const isOff = Math.abs(read.ms - (now() - (performance.now() - read.at))) > read.error
    if (isOff) base = read
  }
  const timer = setInterval(() => void correct().catch(() => {}), everyMs)
  timer.unref()
  return { now: () => Math.floor(now()), stop: () => clearInterval(timer) }
}

async function readTime(db: Db) {
  const before = performance.now()
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
  const after = performance.now()
  return {
    ms: rows[0]?.ms ?? Date.now(),
    at: (before + after) / 2,
    error: (after - before) / 2 + 1,
  }
}
