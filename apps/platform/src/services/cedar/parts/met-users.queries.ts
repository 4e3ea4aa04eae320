import { sql } from 'kysely'
import type { CedarDb } from '../tables.ts'

/** Whether a token of this id was ever seen: that creates the personal provider. */
export async function hasMet(db: CedarDb, userId: string): Promise<boolean> {
  const { rows } = await sql<{ isMet: boolean }>`
    select exists (select from cedar.provider where owner_id = ${userId} and is_default)
      or exists (select from cedar.provider_user where user_id = ${userId}) as "isMet"`.execute(db)
  return rows[0]?.isMet ?? false
}
