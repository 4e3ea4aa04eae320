import { everything, scopeOfService } from '../../../core/scope.ts'
import type { RolloutServiceContext } from './context.ts'
import { advance } from './advance.ts'
import { endExecution } from './execution.queries.ts'
import { programOf } from './programs.ts'
import { lockRollout, type RolloutRow } from './rollout.queries.ts'
import { runExecution } from './run-execution.ts'
import { hastenConnected, startedExecutions, unstartedExecutions } from './started.queries.ts'

/**
 * Records the outcome of devices that work on their own. Nothing is kept in memory, so any process
 * can continue.
 * @returns how many are still working.
 */
export async function followStarted(
  context: RolloutServiceContext,
  rollout: RolloutRow,
  signal: AbortSignal,
): Promise<number> {
  const { db } = context
  const { id, plan } = rollout
  const scope = scopeOfService(rollout.serviceId)
  const program = programOf(rollout.program.kind)
  if (!program.look) return 0
  const at = { id: rollout.program.id, version: rollout.program.version }
  const version = await program.load(context, { ...at, scope })
  for (const { claim, ...execution } of await unstartedExecutions(db, id))
    await runExecution(
      context,
      { rollout, program, version, signing: 'none', claim, signal },
      execution,
    )
  const started = await startedExecutions(db, id)
  const claims = new Map(started.map(({ deviceId, claim }) => [deviceId, claim]))
  const given = { scope, version, minutes: plan.runMinutes, started }
  const ended =
    version === undefined
      ? started.map(({ deviceId }) => ({
          deviceId,
          state: 'failed' as const,
          cause: 'program_gone',
        }))
      : await program.look(context, given)
  for (const { deviceId, state, cause } of ended) {
    const claim = claims.get(deviceId) ?? ''
    await db.transaction().execute(async (tx) => {
      if (!(await lockRollout(tx, id, everything))) return
      if (await endExecution(tx, id, { deviceId, claim }, { state, cause }))
        await advance(tx, id, { now: context.now() })
    })
  }
  await hastenConnected(db, id)
  return started.length - ended.length
}
