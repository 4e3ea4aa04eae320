import { sql } from 'kysely'
import type { MapleDb } from './tables.ts'

/** Whether an applet, an image of firmware or an import needs the bytes. */
export async function isFileUsed(db: MapleDb, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select where exists (select from maple.applet where sha256 = ${sha256})
      or exists (select from maple.binary_image where sha256 = ${sha256})
      or exists (select from maple.device_import where sha256 = ${sha256} and has_file)`.execute(db)
  return rows.length > 0
}
