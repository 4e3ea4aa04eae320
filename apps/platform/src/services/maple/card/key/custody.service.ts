import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { everything, scopeOf } from '../../../../core/scope.ts'
import { needsApproval } from '../../access/approval/approval.service.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { findElement, lockElement } from '../../fleet/element/element.queries.ts'
import { withRights, type ElementAt } from '../../fleet/element/element.service.ts'
import { assertAllowed } from '../../fleet/fleet.policy.ts'
import type { KeyContext } from './key-provider.ts'
import { hasKeys } from './key.queries.ts'

/**
 * Requests the approval of two other people for moving the keys. Idempotent.
 * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `hsm_unavailable`.
 */
export function switchHsm(
  { db, now, keys }: KeyContext,
  actor: Actor,
  { cplc: given, revision, enable }: ElementAt & { enable: boolean },
): Promise<SecureElement> {
  const cplc = readCplc('cplc', given)
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockElement(tx, cplc, scopeOf(actor)), revision, 'element')
    if (before.hsm === enable) return withRights(actor, before)
    assertAllowed(actor, 'element.hsm', before)
    if (enable && !keys.hsm && (await hasKeys(tx, cplc)))
      throw new ProblemError(
        'hsm_unavailable',
        'No HSM is configured, so the keys of this element stay in the vault. Set PKCS11_MODULE first.',
      )
    const request = { action: 'element.hsm', subject: cplc, input: { enable } } as const
    await needsApproval({ db: tx, now }, actor, request)
    return withRights(actor, (await findElement(tx, cplc, everything)) ?? before)
  })
}
