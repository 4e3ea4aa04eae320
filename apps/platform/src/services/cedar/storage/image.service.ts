import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { findImageType } from './storage.queries.ts'

/** Opens an icon or screenshot. A package in the same store is not one, whoever knows its name. */
export async function openImage(
  context: CedarContext,
  _actor: AnyActor,
  { sha256 }: { sha256: string },
) {
  const image = await findImageType(context.db, sha256)
  const object = image && (await context.objects.read(sha256))
  if (!object) throw new ProblemError('not_found', 'The image does not exist.')
  return { ...object, mediaType: image.media_type }
}
