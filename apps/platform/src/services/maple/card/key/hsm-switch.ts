import type { Approval } from '@grove/contract/maple/access/approval'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import { JobError, type JobRun } from '../../../../core/jobs/define-jobs.ts'
import { everything } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import { changeElement, findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { setsOf } from './key.queries.ts'
import { requestActor } from './request-actor.ts'
import { rotate, type RotationContext } from './rotate.ts'
import { rotationOfApproval } from './rotation.queries.ts'
import { openRotation } from './rotation.service.ts'

/**
 * Moves the keys of an element after two people have approved it: each set in use is replaced by a
 * new one in the new place. Keys themselves never move.
 */
export async function switchCustody(
  context: RotationContext,
  {
    id: approvalId,
    subject: cplc,
    input,
    requestedBy,
  }: Pick<Approval, 'id' | 'subject' | 'input' | 'requestedBy'>,
  job: JobRun,
): Promise<void> {
  const { db } = context
  const hsm = input.enable ?? true
  const custody = hsm ? 'hsm' : 'vault'
  const actor = requestActor(requestedBy, approvalId)
  const sets = (await setsOf(db, cplc, ['active'])).filter((set) => set.custody !== custody)
  for (const [index, set] of sets.entries()) {
    job.progress(index, sets.length)
    const known = await rotationOfApproval(db, approvalId, set.id)
    if (known && !isOpenRotation(known.step))
      throw new JobError('not_rotated', 'The keys could not be replaced. Request it again.', {
        isFinal: true,
      })
    const id =
      known?.id ??
      (await db.transaction().execute(async (tx) => {
        await lockElement(tx, cplc, everything)
        const { domain, protocol } = set
        return openRotation(context, tx, {
          cplc,
          domain,
          set,
          protocol,
          custody,
          approvalId,
          createdBy: requestedBy,
        })
      }))
    await rotate(context, actor, id)
  }
  await db.transaction().execute(async (tx) => {
    const before = await lockElement(tx, cplc, everything)
    if (!before) throw new JobError('not_found', 'The element was deleted.', { isFinal: true })
    if (before.hsm === hsm) return
    await changeElement(tx, cplc, { hsm })
    const after = await findElement(tx, cplc, everything)
    await record(tx, actor, 'element.hsm', cplc, { before, after })
  })
}
