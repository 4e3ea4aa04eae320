import { sql } from 'kysely'
import { processActor } from './core/actor.ts'
import type { AuthDb } from './services/auth/tables.ts'
import { endApiKeys } from './services/cedar/provider-admin/provider-key.service.ts'
import type { CedarTables } from './services/cedar/tables.ts'

/**
 * Revokes the API keys of providers, which are hashed with the platform's secret; returns how many
 * providers had one. A platform without the catalogue has none.
 */
export async function endProviderKeys(db: AuthDb): Promise<number> {
  const { rows } = await sql<{ table: string | null }>`
    select to_regclass('cedar.provider_key')::text as table`.execute(db)
  if (typeof rows[0]?.table !== 'string') return 0
  return endApiKeys(db.withTables<CedarTables>(), processActor('keys reseal'))
}
