import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import type { Notices } from '../../../../core/database/notices.ts'
import type { MapleContext } from '../../base/context.ts'
import { makeDays } from '../../base/day-partitions.ts'
import { exchangeWriter, type ExchangeWriter } from './exchange-writer.ts'
import type { LiveSession } from './element-session.ts'
import {
  endOtherProcesses,
  endSessions,
  findLostLeases,
  forgetProcesses,
  isAbandoned,
  keepAlive,
  type SessionEnding,
} from './session.queries.ts'

export interface HubSettings {
  /** How long a process is believed to live after its last sign of life. */
  leaseMs: number
  /** Heartbeat interval, and interval for checking sessions of dead processes. */
  beatMs: number
  /** Polling interval for commands received by other processes, while no notices arrive. */
  pollMs: number
  /** The same while they do: for one that was lost. */
  slowPollMs: number
  /** Idle timeout of a session. */
  idleMs: number
}

export const hubSettings: HubSettings = {
  leaseMs: 15_000,
  beatMs: 5_000,
  pollMs: 200,
  slowPollMs: 2000,
  idleMs: 15 * 60_000,
}

const channel = 'maple_session'

/**
 * Notices between processes: to a process, to take waiting commands or to check which sessions it
 * lost; to all, that a command has ended.
 */
export type SessionNotice = 'take' | 'check' | 'done'

/** The sessions that run in this process. */
export interface SessionHub {
  processId: string
  settings: HubSettings
  writer: ExchangeWriter
  live: ReadonlyMap<string, LiveSession>
  /** Emits the id of a session when its data was stored, and `done` with the id of a command. */
  changes: EventEmitter
  /** `id` is the id of a process, or of the command that is done. */
  tell: (notice: SessionNotice, id: string) => Promise<void>
  /** How long to wait for a notice before looking. */
  lookMs: () => number
  add: (session: LiveSession) => void
  remove: (id: string) => void
  /** Sends a heartbeat, so that other processes rely on this one. */
  appear: () => Promise<void>
  /** Before a session: sends a heartbeat and creates a partition for the day. */
  prepare: (day: string) => Promise<void>
  /** Runs requests received by other processes; `isNeeded` even while this one has no session. */
  onPoll: (look: () => Promise<void>, isNeeded?: () => boolean) => void
  /** Ends sessions of dead processes; returns their ids. */
  sweep: () => Promise<string[]>
  start: (warn: (fields: object, message: string) => void) => void
  close: () => Promise<void>
  isClosing: () => boolean
}

const unread = 'The commands of sessions were not read'

interface Options {
  /** Only this process can use the database. */
  isAlone: boolean
  /** Without them the database is polled more often. */
  notices?: Notices
  settings?: Partial<HubSettings>
}

export function openSessionHub(
  { db, now }: MapleContext,
  { isAlone, notices, settings: given }: Options,
): SessionHub {
  const settings = { ...hubSettings, ...given }
  const processId = randomUUID()
  const live = new Map<string, LiveSession>()
  const changes = new EventEmitter().setMaxListeners(0)
  const days = new Set<string>()
  const timers: NodeJS.Timeout[] = []
  let look = async () => {}
  let isNeeded = () => false
  let beaten: { at: number; done: Promise<unknown> } | undefined
  let isClosing = false
  let polling: Promise<void> | undefined
  let isAskedAgain = false
  let lookedAt = 0
  let stopListening = () => {}

  const beat = () => {
    const done = keepAlive(db, processId, settings.leaseMs / 1000)
    beaten = { at: performance.now(), done }
    done.catch(() => (beaten = undefined))
    return done
  }
  const isLive = () => notices?.isLive() === true

  const hub: SessionHub = {
    processId,
    settings,
    live,
    changes,
    writer: exchangeWriter(db, processId, (ids) => {
      for (const id of ids) changes.emit(id)
    }),
    add: (session) => live.set(session.id, session),
    remove: (id) => {
      live.delete(id)
      changes.emit(id)
    },
    tell: async (notice, id) => notices?.send(channel, `${notice} ${id}`),
    lookMs: () => (isLive() ? settings.slowPollMs : settings.pollMs) / 2,
    async appear() {
      // The last heartbeat may be old: none are sent while there are no sessions.
      const isFresh = beaten && performance.now() - beaten.at < settings.leaseMs / 3
      await (isFresh ? beaten?.done : beat())
    },
    async prepare(day) {
      await hub.appear()
      if (days.has(day)) return
      // Without its partition, the day's rows go into the default one.
      if (await makeDays(db, 'exchange', [day])) days.add(day)
    },
    onPoll: (next, needed = isNeeded) => {
      look = next
      isNeeded = needed
    },
    async sweep() {
      const ids = await db
        .transaction()
        .execute((tx) =>
          endSessions(tx, isAbandoned, { state: 'closed', reason: 'server_restarted' }),
        )
      for (const id of ids) changes.emit(id)
      await forgetProcesses(db)
      return ids
    },
    start(warn) {
      const safely = (work: () => Promise<unknown>, message: string) => () =>
        void work().catch((error: Error) => warn({ reason: error.message }, message))
      const first = async () => {
        if (isAlone) await endOtherProcesses(db, processId)
        await hub.sweep()
      }
      safely(first, 'Sessions of an earlier process were not ended')()
      const round = async () => {
        if (live.size > 0 || isNeeded()) await beat()
        await expire()
        await hub.sweep()
      }
      timers.push(
        setInterval(safely(round, 'The sign of life of sessions was not written'), settings.beatMs),
        setInterval(safely(pollIfDue, unread), settings.pollMs),
      )
      const heard: Partial<Record<string, () => void>> = {
        [`take ${processId}`]: safely(poll, unread),
        [`check ${processId}`]: safely(expire, 'The leases of sessions were not read'),
      }
      if (notices)
        stopListening = notices.on(channel, (text) => {
          heard[text]?.()
          if (text.startsWith('done ')) changes.emit(text)
        })
      for (const timer of timers) timer.unref()
    },
    async close() {
      isClosing = true
      stopListening()
      for (const timer of timers) clearInterval(timer)
      const ending: SessionEnding = { state: 'closed', reason: 'server_stopped' }
      await Promise.allSettled([...live.values()].map((session) => session.finish(ending)))
      changes.emit('close')
      if (beaten)
        await sql`delete from maple.session_process where id = ${processId}`
          .execute(db)
          .catch(() => {})
    },
    isClosing: () => isClosing,
  }

  async function pollIfDue(): Promise<void> {
    if (!isLive() || performance.now() - lookedAt >= settings.slowPollMs) await poll()
  }

  /** One check at a time; events during one are handled by another after it. */
  async function poll(): Promise<void> {
    if (isClosing || (live.size === 0 && !isNeeded())) return
    isAskedAgain = true
    polling ??= (async () => {
      while (isAskedAgain) {
        isAskedAgain = false
        lookedAt = performance.now()
        await look()
      }
    })().finally(() => {
      polling = undefined
    })
    await polling
  }

  /** Ends idle sessions, and forgets those ended by another process. */
  async function expire(): Promise<void> {
    const idle = [...live.values()].filter(
      (session) => !session.isBusy() && now() - session.lastUsed() > settings.idleMs,
    )
    for (const session of idle) await session.finish({ state: 'expired', reason: 'idle' })
    if (live.size === 0) return
    for (const id of await findLostLeases(db, [...live.keys()], processId))
      await live.get(id)?.finish({
        state: 'failed',
        failure: { code: 'lease_lost', message: 'Another session is using the element.' },
      })
  }

  return hub
}
