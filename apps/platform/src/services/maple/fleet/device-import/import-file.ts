import type { FleetContext } from '../context.ts'
import { isFileUsed } from '../../base/file-use.queries.ts'
import { lockFile } from '../../../../core/objects/lock-file.ts'
import { releaseFile, type ImportRow } from './device-import.queries.ts'

/** Removes an import's file once it is not needed, unless something else needs the same bytes. */
export const removeFile = ({ db, objects }: FleetContext, found: ImportRow): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await lockFile(tx, found.sha256)
    await releaseFile(tx, found.id)
    if (!(await isFileUsed(tx, found.sha256))) await objects.remove(found.sha256)
  })
