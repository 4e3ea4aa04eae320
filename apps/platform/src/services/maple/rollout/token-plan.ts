import { createHash } from 'node:crypto'
import { scopeOfService } from '../../../core/scope.ts'
import type { MapleDb } from '../base/tables.ts'
import { programOf } from './programs.ts'
import type { RolloutRow } from './rollout.queries.ts'

type Planned = Pick<
  RolloutRow,
  'program' | 'serviceId' | 'targets' | 'plan' | 'rollsBack' | 'retries'
>

/**
 * The plan that someone approves if Grove signs for a rollout; undefined if it acts in no other
 * domain.
 */
export async function tokenPlanOf(
  db: MapleDb,
  { program, serviceId, targets, plan, rollsBack, retries }: Planned,
): Promise<{ domains: readonly string[]; hash: string } | undefined> {
  const { kind, id, version, input } = program
  const scope = scopeOfService(serviceId)
  const found = await programOf(kind).tokenPlan?.({ db }, { id, version, input, scope })
  if (!found || found.domains.length === 0) return undefined
  const devices = [targets, plan.canaries, rollsBack, retries?.id, retries?.state, retries?.cause]
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, id, version, found.hash, devices]))
    .digest('hex')
  return { domains: found.domains, hash }
}

/** Whether Grove may sign for a rollout: `changed` if its plan differs from the approved one. */
export async function signingOf(
  db: MapleDb,
  rollout: Planned & Pick<RolloutRow, 'approvedPlan'>,
): Promise<'none' | 'approved' | 'changed'> {
  const { approvedPlan } = rollout
  if (approvedPlan === null) return 'none'
  return (await tokenPlanOf(db, rollout))?.hash === approvedPlan ? 'approved' : 'changed'
}
