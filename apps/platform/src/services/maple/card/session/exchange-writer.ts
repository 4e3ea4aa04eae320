import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'
import type { ExchangeRecord, StoredFlight } from './exchange-record.ts'

export interface SessionCounts {
  exchanges: number
  failed: number
  firstError: number | null
}

/** A session's additions to its log: replies, and the next commands to send. */
export interface LogWrite extends SessionCounts {
  sessionId: string
  day: string
  answered: readonly ExchangeRecord[]
  /** Undefined keeps the stored ones. */
  flight: StoredFlight | null | undefined
}

interface Waiting extends LogWrite {
  done: (isHeld: boolean) => void
  fail: (error: unknown) => void
}

export interface ExchangeWriter {
  /** Resolves when it is durable; false if another process has the lease. */
  write: (entry: LogWrite) => Promise<boolean>
}

/** Concurrent statements. */
const maxAtOnce = 3
/** This many are written without waiting for more: the database and this process work in parallel. */
const enough = 16

/**
 * Writes the logs of all sessions of a process. Concurrent additions share one statement, so each
 * waits for about one commit. Writes of one session stay in order.
 */
export function exchangeWriter(
  db: MapleDb,
  processId: string,
  onWritten: (sessionIds: Iterable<string>) => void,
): ExchangeWriter {
  let queue: Waiting[] = []
  /** Sessions whose last write is in progress. */
  const busy = new Set<string>()
  let underWay = 0
  let isDue = false

  function start(): void {
    if (underWay === maxAtOnce) return
    const batch = queue.filter(({ sessionId }) => !busy.has(sessionId))
    if (batch.length === 0) return
    queue = queue.filter(({ sessionId }) => busy.has(sessionId))
    void run(batch)
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    underWay += 1
    for (const { sessionId } of batch) busy.add(sessionId)
    try {
      const held = await writeLog(db, processId, batch)
      for (const { sessionId, done } of batch) done(held.has(sessionId))
      onWritten(held)
    } catch (error) {
      for (const { fail } of batch) fail(error)
    }
    for (const { sessionId } of batch) busy.delete(sessionId)
    underWay -= 1
    start()
  }

  return {
    write: (entry) =>
      new Promise((done, fail) => {
        queue.push({ ...entry, done, fail })
        if (queue.length >= enough) start()
        if (isDue) return
        isDue = true
        // A session stores a reply and its next command in one go: its next step runs before this.
        setImmediate(() => {
          isDue = false
          start()
        })
      }),
  }
}

/** One statement, so that a lost lease leaves nothing of it. */
async function writeLog(
  db: MapleDb,
  processId: string,
  batch: readonly LogWrite[],
): Promise<Set<string>> {
  const last = new Map<string, LogWrite>()
  for (const entry of batch) {
    const { flight = last.get(entry.sessionId)?.flight } = entry
    last.set(entry.sessionId, { ...entry, flight })
  }
  const leases = [...last.values()].map(({ sessionId, flight, exchanges, failed, firstError }) => ({
    sessionId,
    flight,
    isKept: flight === undefined,
    exchanges,
    failed,
    firstError,
  }))
  const answered = batch.flatMap(({ sessionId, day, answered: records }) =>
    records.map((record) => ({ sessionId, day, ...record })),
  )
  const { rows } = await sql<{ id: string }>`
    with held as (
      update maple.session_lease as lease
      set flight = case when given."isKept" then lease.flight else given.flight end,
        exchanges = given.exchanges, failed = given.failed,
        first_error = given."firstError"
      from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb) as given
        ("sessionId" uuid, flight jsonb, "isKept" boolean, exchanges integer, failed integer,
          "firstError" integer)
      where lease.session_id = given."sessionId" and lease.process_id = ${processId}
      returning lease.session_id
    ), added as (
      insert into maple.exchange (${exchangeColumns})
      select ${exchangeValues}
      from jsonb_to_recordset(${JSON.stringify(answered)}::jsonb) as record ${exchangeShape}
      where "sessionId" in (select session_id from held)
      on conflict do nothing
    )
    select session_id as id from held`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Columns of an exchange, and how they are read from a record's JSON. */
export const exchangeColumns = sql`
  day, session_id, seq, at, step, ins, command, reply, sent, received, status_word, latency_us,
  is_failed, redacted, problem`
export const exchangeValues = sql`
  day, "sessionId", seq, at, step, ins, decode(command, 'hex'), decode(reply, 'hex'),
  decode(sent, 'hex'), decode(received, 'hex'), "statusWord", "latencyUs", "isFailed", redacted,
  problem`
export const exchangeShape = sql`(
  day date, "sessionId" uuid, seq integer, at timestamptz, step uuid, ins smallint, command text,
  reply text, sent text, received text, "statusWord" integer, "latencyUs" integer,
  "isFailed" boolean, redacted jsonb, problem text)`
