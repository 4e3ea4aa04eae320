import type { Events } from '../../../core/events/define-events.ts'
import { processActor, type AnyActor } from '../../../core/actor.ts'
import { everything } from '../../../core/scope.ts'
import { rolloutEvents } from './context.ts'
import type { MapleDb } from '../base/tables.ts'
import { lockRollout, moveGroup, moveRollout, type RolloutRow } from './rollout.queries.ts'
import { nextSteps } from './next-steps.rules.ts'

type ActionOf<T> = T extends Events<infer Action> ? Action : never
export type RolloutAction = ActionOf<typeof rolloutEvents>

/**
 * Takes the steps that follow from the counters, in the transaction that changed them: the caller has
 * locked the rollout. Returns the rollout afterwards.
 */
export async function advance(
  tx: MapleDb,
  id: string,
  { now, actor = processActor('rollout.run') }: { now: number; actor?: AnyActor },
): Promise<RolloutRow | undefined> {
  const rollout = await lockRollout(tx, id, everything)
  if (!rollout || rollout.step !== 'run') return rollout
  const { joinUntil } = rollout.targets
  const isOpen = joinUntil !== null && joinUntil !== undefined && Date.parse(joinUntil) > now
  const steps = nextSteps({ ...rollout, isOpen })
  if (steps.length === 0) return rollout
  for (const step of steps) {
    switch (step.kind) {
      case 'group':
        await moveGroup(tx, id, step.number, step)
        break
      case 'pause':
        await moveRollout(tx, id, { state: 'paused', pauseReason: step.reason })
        await recordMove(tx, actor, 'rollout.pause', rollout, {
          state: 'paused',
          pauseReason: step.reason,
        })
        break
      case 'finish':
        await moveRollout(tx, id, { state: 'finished' })
        await recordMove(tx, actor, 'rollout.finish', rollout, { state: 'finished' })
        break
      case 'stop':
        await moveRollout(tx, id, { state: 'stopped' })
        await recordMove(tx, actor, 'rollout.finish', rollout, { state: 'stopped' })
    }
  }
  return lockRollout(tx, id, everything)
}

/** Records a state change of a rollout. */
export const recordMove = (
  tx: MapleDb,
  actor: AnyActor,
  action: RolloutAction,
  { id, state, pauseReason }: Pick<RolloutRow, 'id' | 'state' | 'pauseReason'>,
  after: object,
): Promise<void> =>
  rolloutEvents.record(tx, actor, action, id, { before: { state, pauseReason }, after })
