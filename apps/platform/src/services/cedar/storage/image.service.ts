import { ProblemError } from '../../../core/http/problem.ts'
import type { Platform } from '../../../core/platform.ts'
import { cedarDb } from '../tables.ts'
import { findImageType } from './storage.queries.ts'

/** Opens an icon or screenshot. A package in the same store is not one, whoever knows its name. */
export async function openImage(platform: Platform, sha256: string) {
  const image = await findImageType(cedarDb(platform), sha256)
  const object = image && (await platform.objects.read(sha256))
  if (!object) throw new ProblemError('not_found', 'There is no such image.')
  return { ...object, mediaType: image.media_type }
}
