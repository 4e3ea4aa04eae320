import { EventEmitter } from 'node:events'
import { escapeIdentifier, type Client, type Pool } from 'pg'
import { clientFor } from './hosts.ts'
import type { DatabaseLog } from './pools.ts'

/**
 * Short, immediate messages to all processes on the same database. They may be lost, for instance
 * during a reconnect, so their subject is stored and polled for as well.
 */
export interface Notices {
  send: (channel: string, text: string) => Promise<void>
  /** Returns an unsubscribe function. */
  on: (channel: string, listener: (text: string) => void) => () => void
  /** Whether notices arrive. */
  isLive: () => boolean
  close: () => Promise<void>
}

/** An embedded database has one process. */
export function openLocalNotices(): Notices {
  const heard = new EventEmitter().setMaxListeners(0)
  return {
    send: async (channel, text) => {
      heard.emit(channel, text)
    },
    on: (channel, listener) => {
      heard.on(channel, listener)
      return () => heard.off(channel, listener)
    },
    isLive: () => true,
    close: async () => {},
  }
}

const againMs = 1000

/** Uses LISTEN and NOTIFY, with a dedicated connection from the first listener on. */
export function openPostgresNotices(url: string, pool: Pool, log?: DatabaseLog): Notices {
  const heard = new EventEmitter().setMaxListeners(0)
  const channels = new Set<string>()
  const of = clientFor(url)
  let client: Client | undefined
  let isLive = false
  let isClosed = false
  let again: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new of.Client({
      connectionString: of.connectionString,
      connectionTimeoutMillis: 5000,
      application_name: 'grove notices',
      keepAlive: true,
    })
    client = next
    next.on('error', (error) => log?.warn({ err: error }, 'the connection for notices was lost'))
    next.on('notification', ({ channel, payload = '' }) => heard.emit(channel, payload))
    next.once('end', lost)
    try {
      await next.connect()
      // Including those added meanwhile.
      for (const channel of channels) await listen(next, channel)
      isLive = client === next
    } catch {
      await next.end().catch(() => {})
      lost()
    }
  }

  function lost(): void {
    isLive = false
    client = undefined
    if (isClosed || again) return
    again = setTimeout(() => {
      again = undefined
      void connect()
    }, againMs)
    again.unref()
  }

  // One after another: a client of `pg` should get one query at a time.
  let listening: Promise<unknown> = Promise.resolve()
  const listen = (on: Client, channel: string) => {
    const done = listening.then(() => on.query(`listen ${escapeIdentifier(channel)}`))
    listening = done.catch(() => {})
    return done
  }

  return {
    send: async (channel, text) => {
      await pool.query('select pg_notify($1, $2)', [channel, text])
    },
    on(channel, listener) {
      heard.on(channel, listener)
      if (!channels.has(channel)) {
        channels.add(channel)
        if (client && isLive) void listen(client, channel).catch(() => client?.end())
        else if (!client && !again) void connect()
      }
      return () => heard.off(channel, listener)
    },
    isLive: () => isLive,
    async close() {
      isClosed = true
      clearTimeout(again)
      await client?.end().catch(() => {})
    },
  }
}
