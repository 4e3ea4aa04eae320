import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { openObject } from './objects.service.ts'
import { findObject } from './storage.queries.ts'

/**
 * Opens an icon or screenshot. A package in the same store cannot be opened, even if its name is
 * known.
 */
export async function openImage(
  context: CedarContext,
  _actor: AnyActor,
  { sha256 }: { sha256: string },
) {
  const known = await findObject(context.db, sha256)
  const image = known?.media_type.startsWith('image/') && (await openObject(context, sha256))
  if (!image) throw new ProblemError('not_found', 'The image does not exist.')
  return image
}
