import { sql } from 'kysely'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { MapleDb } from '../../base/tables.ts'

export async function domainsOf(db: MapleDb, cplc: string): Promise<SecurityDomain[]> {
  const { rows } = await sql<SecurityDomain>`
    select aid, parent, state, privileges from maple.domain where cplc = ${cplc} order by aid
  `.execute(db)
  return rows
}

/** Makes the domains of an element equal to a list. */
export async function storeDomains(
  db: MapleDb,
  cplc: string,
  domains: readonly SecurityDomain[],
): Promise<void> {
  await sql`delete from maple.domain where cplc = ${cplc}`.execute(db)
  for (const { aid, parent, state, privileges } of domains)
    await sql`
      insert into maple.domain (cplc, aid, parent, state, privileges)
      values (${cplc}, ${aid}, ${parent}, ${state}, ${privileges}::text[])
    `.execute(db)
}
