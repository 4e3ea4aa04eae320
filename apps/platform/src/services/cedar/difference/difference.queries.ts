import { sql } from 'kysely'
import type { PackageIndex } from '../package/index-package.ts'
import type { CedarDb } from '../tables.ts'

export const findPackageIndex = (db: CedarDb, sha256: string): Promise<PackageIndex | undefined> =>
  db
    .selectFrom('cedar.package_index')
    .select(['files', 'manifest'])
    .where('sha256', '=', sha256)
    .executeTakeFirst()

/** Writes nothing if the package was deleted meanwhile, or another process was faster. */
export const insertPackageIndex = (db: CedarDb, sha256: string, index: PackageIndex) =>
  sql`
    insert into cedar.package_index (sha256, files, manifest)
    select o.sha256, ${JSON.stringify(index.files)}::jsonb, ${index.manifest}::text
    from cedar.object o where o.sha256 = ${sha256}
    on conflict do nothing`.execute(db)
