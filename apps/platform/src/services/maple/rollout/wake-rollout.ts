import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import { ownerOf } from '../base/job-turn.ts'
import type { RolloutJobs } from './jobs.ts'
import type { MapleDb } from '../base/tables.ts'
import { hastenJobs, type RolloutRow } from './rollout.queries.ts'

export interface RolloutInput {
  id: string
  /** 0 drives the rollout; others help with its devices. */
  lane: number
}

export const keyOf = ({ id, lane }: RolloutInput) => `${id} ${lane}`

export const turnOfRollout = ({
  serviceId,
  createdBy,
}: Pick<RolloutRow, 'serviceId' | 'createdBy'>) => ({
  owner: ownerOf(serviceId, createdBy),
  scope: serviceId,
})

/** Has a rollout looked after now, by any process. */
export async function wakeRollout(
  { db, jobs }: { db: MapleDb; jobs: JobQueue<RolloutJobs> },
  rollout: Pick<RolloutRow, 'id' | 'serviceId' | 'createdBy'>,
): Promise<void> {
  const input = { id: rollout.id, lane: 0 }
  const key = keyOf(input)
  if (await jobs.enqueue(db, 'rollout.run', input, { ...turnOfRollout(rollout), key })) return
  await hastenJobs(db, [key])
  jobs.nudge()
}
