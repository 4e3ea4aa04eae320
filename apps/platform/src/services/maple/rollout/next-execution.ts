import type { MapleContext } from '../base/context.ts'
import { advance } from './advance.ts'
import {
  claimExecution,
  endWaiting,
  readPace,
  setPace,
  waitingZones,
  type ClaimedExecution,
} from './execution.queries.ts'
import type { RolloutRow } from './rollout.queries.ts'
import { isOpen, isZone, nextOpening } from './window.ts'

/** Devices claimed from a group, or a rollout, per transaction. */
const endAtOnce = 2_000
const minuteMs = 60_000

export type Next =
  | { kind: 'run'; execution: ClaimedExecution; rollout: RolloutRow }
  /** Something was done that may allow more. */
  | { kind: 'again' }
  /** Nothing can start for so long, unless something changes. */
  | { kind: 'wait'; ms: number; isAnyRunning: boolean }
  /** A person or a threshold has ended or paused it. */
  | { kind: 'over' }

/**
 * Claims the next device of a rollout that may start now, in one transaction that locks the rollout.
 */
export function nextExecution(
  { db, now }: Pick<MapleContext, 'db' | 'now'>,
  id: string,
  claim: string,
): Promise<Next> {
  return db.transaction().execute(async (tx): Promise<Next> => {
    const rollout = await advance(tx, id, { now: now() })
    if (!rollout) return { kind: 'over' }
    const { state, groups, plan } = rollout
    const running = groups.reduce((sum, group) => sum + group.running, 0)
    const isAnyRunning = running > 0
    if (state === 'stopping') {
      if ((await endWaiting(tx, id, { group: null, state: 'cancelled', limit: endAtOnce })) > 0)
        return { kind: 'again' }
      return { kind: 'wait', ms: minuteMs, isAnyRunning }
    }
    if (state !== 'running' || rollout.step !== 'run') return { kind: 'over' }
    const skipping = groups.find((group) => group.state === 'skipping' && group.queued > 0)
    if (skipping) {
      const { number } = skipping
      await endWaiting(tx, id, { group: number, state: 'skipped', limit: endAtOnce })
      return { kind: 'again' }
    }
    const open = groups.filter((group) => group.state === 'running' && group.queued > 0)
    if (running >= plan.atOnce || open.length === 0)
      return { kind: 'wait', ms: minuteMs, isAnyRunning }

    const { zones, rateAt } = await readPace(tx, id)
    const time = now()
    const paceMs = rateAt === null ? 0 : Date.parse(rateAt) - time
    if (plan.perMinute !== null && paceMs > 0) return { kind: 'wait', ms: paceMs, isAnyRunning }
    const asked = { groups: open.map(({ number }) => number), zones }
    const openZones = zones.filter((zone) => isOpenIn(plan.window, zone, time))
    const execution = await claimExecution(tx, id, { ...asked, zones: openZones, claim, now: time })
    if (execution) {
      // A slow moment is not made up for: never more start in a minute.
      if (plan.perMinute !== null)
        await setPace(tx, id, Math.max(time, time + paceMs) + minuteMs / plan.perMinute)
      return { kind: 'run', execution, rollout }
    }
    const waits = (await waitingZones(tx, id, asked)).map(({ zone, notBefore }) =>
      opensIn(plan.window, zone, Math.max(time, Date.parse(notBefore))),
    )
    return {
      kind: 'wait',
      ms: Math.max(0, Math.min(...waits, time + minuteMs) - time),
      isAnyRunning,
    }
  })
}

type Window = RolloutRow['plan']['window']

const zoneOf = (window: NonNullable<Window>, zone: string) =>
  zone !== '' && isZone(zone) ? zone : window.zone

const isOpenIn = (window: Window, zone: string, time: number) =>
  window === null || isOpen(time, window, zoneOf(window, zone))

const opensIn = (window: Window, zone: string, time: number) =>
  window === null ? time : nextOpening(time, window, zoneOf(window, zone))
