import { EventEmitter } from 'node:events'
import { withoutRow } from '../../../../core/http/error-handler.ts'
import type { MapleDb } from '../../base/tables.ts'
import { lockDueSchedules, setNextAt, type DueSchedule } from './cloud-handler.queries.ts'
import {
  claimRuns,
  freeLostRuns,
  giveBackRuns,
  insertRun,
  isAnyQueued,
  markFull,
  renewLeases,
  type ClaimedRun,
} from './handler-run.queries.ts'
import { runHandler, type RunContext } from './run-handler.ts'
import { nextTime } from './schedule.ts'

export interface RunnerPace {
  /** Polling interval for deliveries written by the database or another process. */
  lookMs: number
  /** Lease of a delivery: without renewal another process runs it. */
  leaseMs: number
  /** Interval for checking schedules, lost deliveries and full queues. */
  roundMs: number
  /** Concurrent deliveries here, per service provider, and per handler. */
  most: number
  maxOfOwner: number
  maxOfHandler: number
}

export const runnerPace: RunnerPace = {
  lookMs: 500,
  leaseMs: 30_000,
  roundMs: 1000,
  most: 16,
  // The sandbox's limit per owner: more would only wait there.
  maxOfOwner: 4,
  maxOfHandler: 4,
}

/** The deliveries that this process runs. */
export interface HandlerRunner {
  start: (warn: (fields: object, message: string) => void) => void
  /** Makes it poll soon, if started: this process wrote a delivery. */
  nudge: () => void
  /** The id of a run, when its log or its state changed here, and then that of its handler. */
  changes: EventEmitter
  isClosing: () => boolean
  close: () => Promise<void>
}

const closeMs = 5000
/** A service provider that was forgotten counts as one that never had a turn. */
const maxRemembered = 1000
/** Queue lengths are checked rarely: that is the most expensive query. */
const roundsOfFull = 10

/**
 * Runs queued deliveries, in any number of processes: a delivery is claimed under a lease, which
 * expires when its process dies. It is then run again, with the same id and another attempt.
 */
export function openHandlerRunner(
  context: RunContext,
  pace: RunnerPace = runnerPace,
): HandlerRunner {
  const { db, now } = context
  const running = new Map<string, { run: ClaimedRun; ended: Promise<void> }>()
  const changes = new EventEmitter().setMaxListeners(0)
  // Service providers in the order of their last turns.
  const served = new Map<string, number>()
  let turns = 0
  const closing = new AbortController()
  let warn: (fields: object, message: string) => void = () => {}
  let timers: NodeJS.Timeout[] = []
  let looking: Promise<void> | undefined
  let isAgain = false
  let rounds = 0

  function remember(owner: string): void {
    served.delete(owner)
    served.set(owner, ++turns)
    const [oldest] = served.keys()
    if (served.size > maxRemembered && oldest !== undefined) served.delete(oldest)
  }

  function start(run: ClaimedRun): void {
    const onChange = () => {
      changes.emit(run.id)
      changes.emit(run.handlerId)
    }
    const ended = runHandler(context, run, { signal: closing.signal, onChange })
      .catch((error: Error) => {
        // Its lease ends, and it runs again.
        warn({ err: withoutRow(error), run: run.id }, 'The end of a handler was not written')
      })
      .finally(() => {
        running.delete(run.id)
        look()
      })
    running.set(run.id, { run, ended })
    onChange()
  }

  async function claim(): Promise<void> {
    do {
      isAgain = false
      const limit = pace.most - running.size
      if (closing.signal.aborted || limit <= 0 || !(await isAnyQueued(db))) return
      const { maxOfOwner, maxOfHandler, leaseMs } = pace
      const runs = [...running.values()].map(({ run }) => run)
      const ofHandlers = countBy(runs, ({ handlerId }) => handlerId)
      const busy = [...ofHandlers].flatMap(([id, count]) => (count >= maxOfHandler ? [id] : []))
      const owners = countBy(runs, ownerOf)
      const claimed = await claimRuns(db, {
        limit,
        busy,
        leaseMs,
        maxOfOwner,
        owners: [...new Set([...owners.keys(), ...served.keys()])].map((owner) => ({
          owner,
          running: owners.get(owner) ?? 0,
          servedAt: served.get(owner) ?? 0,
        })),
      })
      for (const run of claimed) {
        remember(ownerOf(run))
        start(run)
      }
      // One of each handler was taken.
      if (claimed.length > 0) isAgain = true
    } while (isAgain)
  }

  /** One poll at a time; a nudge during it triggers another. */
  function look(): void {
    if (closing.signal.aborted) return
    if (looking) {
      isAgain = true
      return
    }
    looking = claim()
      .catch((error: Error) => warn({ err: withoutRow(error) }, 'Handlers could not be read'))
      .finally(() => {
        looking = undefined
      })
  }

  async function round(): Promise<void> {
    if (running.size > 0) await renewLeases(db, [...running.keys()], pace.leaseMs)
    await freeLostRuns(db)
    await queueSchedules(db, now())
    if (rounds++ % roundsOfFull === 0) await markFull(db)
  }

  return {
    changes,
    nudge: () => {
      if (timers.length > 0) setTimeout(look, 20).unref()
    },
    isClosing: () => closing.signal.aborted,
    start(log) {
      warn = log
      timers = [
        setInterval(look, pace.lookMs),
        every(pace.roundMs, () =>
          round().then(look, (error: Error) =>
            warn({ err: withoutRow(error) }, 'Schedules of handlers could not be read'),
          ),
        ),
      ]
      for (const timer of timers) timer.unref()
    },
    async close() {
      for (const timer of timers) clearInterval(timer)
      closing.abort()
      const ids = [...running.keys()]
      const ended = Promise.all([...running.values()].map((each) => each.ended))
      const late = new Promise((resolve) => setTimeout(resolve, closeMs).unref())
      await Promise.race([Promise.all([ended, looking]), late])
      await giveBackRuns(db, ids).catch(() => {})
    },
  }
}

const ownerOf = ({ serviceId }: ClaimedRun): string => serviceId ?? ''

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

const schedulesAtOnce = 100

/** A schedule that was missed while nothing ran is due once, and then again at its next time. */
export async function queueSchedules(db: MapleDb, now: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const due = await lockDueSchedules(tx, schedulesAtOnce)
    for (const schedule of due) await queueSchedule(tx, schedule, now)
    return due.length
  })
}

async function queueSchedule(
  tx: MapleDb,
  { id, nextAt, attempts, trigger }: DueSchedule,
  now: number,
): Promise<void> {
  if (trigger.type !== 'schedule') return void (await setNextAt(tx, id, null))
  const { cron, zone } = trigger
  await insertRun(tx, {
    handlerId: id,
    source: 'schedule',
    type: 'schedule',
    key: `at:${nextAt}`,
    event: { at: nextAt, cron, zone },
    mostAttempts: attempts,
  })
  const next = nextTime({ cron, zone }, Math.max(now, Date.parse(nextAt)))
  await setNextAt(tx, id, next === null ? null : new Date(next).toISOString())
}

/** One run at a time: a slow database gets no further query meanwhile. */
function every(ms: number, run: () => Promise<void>): NodeJS.Timeout {
  let isBusy = false
  return setInterval(() => {
    if (isBusy) return
    isBusy = true
    void run().finally(() => (isBusy = false))
  }, ms)
}
