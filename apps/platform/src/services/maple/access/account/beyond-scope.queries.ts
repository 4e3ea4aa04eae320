import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

/** A change of an account in the audit trail. */
export interface AccountChange {
  id: number
  /** ISO 8601. */
  at: string
  action: string
  actor: string
  account: string
  before: { serviceId: string | null } | null
  after: { serviceId: string | null } | null
}

const pageSize = 10_000

/** Every change of an account by a person, oldest first. */
export async function accountChanges(db: MapleDb): Promise<AccountChange[]> {
  const changes: AccountChange[] = []
  for (;;) {
    const { rows } = await sql<AccountChange>`
      select id, at, action, actor, subject as account,
        case when jsonb_typeof(before) = 'object'
          then jsonb_build_object('serviceId', before -> 'serviceId') end as before,
        case when jsonb_typeof(after) = 'object'
          then jsonb_build_object('serviceId', after -> 'serviceId') end as after
      from maple.event
      where id > ${changes.at(-1)?.id ?? 0} and actor is not null
        and action in ('account.create', 'account.update', 'account.delete', 'role.grant', 'role.revoke')
      order by id limit ${sql.lit(pageSize)}`.execute(db)
    changes.push(...rows)
    if (rows.length < pageSize) return changes
  }
}

/** The service provider of every account; null for unlimited ones. */
export async function servicesOfAccounts(db: MapleDb): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ id: string; serviceId: string | null }>`
    select id, service_id as "serviceId" from maple.account`.execute(db)
  return new Map(rows.map(({ id, serviceId }) => [id, serviceId]))
}
