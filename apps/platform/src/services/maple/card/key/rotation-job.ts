import type { JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import { requestActor } from './request-actor.ts'
import { rotate, type RotationContext } from './rotate.ts'
import { findRotation } from './rotation.queries.ts'

/** An interrupted run is repeated: it continues from the journal. */
export const rotationJob: JobDefinition<RotationContext, { id: string }> = {
  maxAttempts: 3,
  async run(context, { id }) {
    const rotation = await findRotation(context.db, id)
    if (rotation) await rotate(context, requestActor(rotation.createdBy, id), id)
  },
}
