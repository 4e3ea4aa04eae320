import { sql } from 'kysely'
import { inScope, type Scope } from '../../../core/scope.ts'
import type { MapleDb } from '../base/tables.ts'

/** The first of these elements that is not in a scope. */
export async function findLackingElement(
  db: MapleDb,
  cplcs: readonly string[],
  scope: Scope,
): Promise<string | undefined> {
  const { rows } = await sql<{ cplc: string }>`
    select given.cplc from unnest(${cplcs}::text[]) with ordinality as given (cplc, place)
    where not exists (select from maple.element as element
      where element.cplc = given.cplc and ${inScope(scope, 'element.service_id')})
    order by given.place limit 1`.execute(db)
  return rows[0]?.cplc
}
