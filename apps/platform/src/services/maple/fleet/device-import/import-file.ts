import type { FleetContext } from '../context.ts'
import { lockFile } from '../../../../core/objects/lock-file.ts'
import { releaseFile, type ImportRow } from './device-import.queries.ts'

/** Removes the file of an import that no longer needs it, unless another import has the same one. */
export const removeFile = ({ db, objects }: FleetContext, found: ImportRow): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await lockFile(tx, found.sha256)
    if (await releaseFile(tx, found)) await objects.remove(found.sha256)
  })
