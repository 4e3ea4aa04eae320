import type { LinkedApp } from '@grove/contract/cedar/link'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { openObject } from '../storage/objects.service.ts'

/** Opens the package that a link currently serves, and no other, even if its hash is known. */
export async function openPackageOf(
  context: CedarContext,
  _actor: AnyActor,
  { linked, sha256 }: { linked: LinkedApp; sha256: string },
) {
  const file = sha256 === linked.package.sha256 && (await openObject(context, sha256))
  if (!file)
    throw new ProblemError('not_found', 'The link now serves another package. Read the link again.')
  return file
}
