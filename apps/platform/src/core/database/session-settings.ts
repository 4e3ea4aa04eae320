import type { Client } from 'pg'
import { StartupError } from '../startup-error.ts'
import { clientFor } from './hosts.ts'

/**
 * The settings of every connection. Behind a pooler that shares connections per transaction, such as
 * PgBouncer, no connection keeps the settings it was opened with, so the role gets them.
 */
const wanted: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  // JIT-compiling a query over partitions takes seconds, running it milliseconds.
  jit: 'off',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '1min',
}

/** An arbitrary unique lock id: processes that start together change the role one after the other. */
const lockKey = 7_146_224

/** Gives the role these settings in this database, if it lacks them. */
export async function keepInRole(directUrl: string): Promise<void> {
  await withClient(directUrl, async (client) => {
    if ((await differing(client)).length === 0) return
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    for (const [name, value] of Object.entries(wanted))
      await client.query(
        `do $$ begin execute format('alter role current_user in database %I set ${name} = %L',
          current_database(), '${value}'); end $$`,
      )
    await client.query('commit')
  })
}

/** @throws StartupError if the pooler's connections lack them. */
export async function requireSettings(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const [first] = await differing(client)
    if (first === undefined) return
    throw new StartupError(
      `The pooler at DATABASE_URL has connections from before Grove gave its role the settings that it needs (${first}): have it connect anew, which is RECONNECT in PgBouncer’s console, and start again.`,
    )
  })
}

async function differing(client: Client): Promise<string[]> {
  const names = Object.keys(wanted)
  const columns = names.map((name) => `current_setting('${name}') as "${name}"`).join(', ')
  const { rows } = await client.query<Record<string, string>>(`select ${columns}`)
  return names.filter((name) => rows[0]?.[name] !== wanted[name])
}

async function withClient(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const { Client: OfHosts, connectionString } = clientFor(url)
  const client = new OfHosts({ connectionString, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
