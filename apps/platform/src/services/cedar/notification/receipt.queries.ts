import { sql } from 'kysely'
import type { CedarDb } from '../tables.ts'
import { everyone } from './history.queries.ts'

export interface Receipt {
  notificationId: string
  deviceId: string
  isOpened: boolean
}

/** How long after its due time a notification accepts receipts. */
const countedFor = sql`interval '30 days'`

/**
 * Stores receipts, each once, and adds them to the counters of their notifications and of this hour.
 * In a fixed order, to avoid deadlocks.
 */
export async function insertReceipts(db: CedarDb, receipts: readonly Receipt[]): Promise<void> {
  const given = sql`
    select r.notification_id, r.device_id, bool_or(r.is_opened) as is_opened
    from unnest(${receipts.map(({ notificationId }) => notificationId)}::uuid[],
      ${receipts.map(({ deviceId }) => deviceId)}::uuid[],
      ${receipts.map(({ isOpened }) => isOpened)}::boolean[])
      as r (notification_id, device_id, is_opened)
    join cedar.notification n on n.id = r.notification_id and n.at > now() - ${countedFor}
    group by 1, 2`
  const { rows: added } = await sql<{ id: string; opened: boolean; is_new: boolean }>`
    with given as (${given}),
    inserted as (
      insert into cedar.notification_receipt (notification_id, device_id, is_opened)
      select * from given order by 1, 2 on conflict do nothing
      returning notification_id as id, is_opened as opened
    ),
    -- The rows of before: what is inserted here is not seen.
    changed as (
      update cedar.notification_receipt r set is_opened = true from given
      where r.notification_id = given.notification_id and r.device_id = given.device_id
        and given.is_opened and not r.is_opened
      returning r.notification_id as id
    )
    select id, opened, true as is_new from inserted
    union all select id, true, false from changed`.execute(db)
  if (added.length === 0) return
  await sql`
    with added as (
      select a.id, count(*) filter (where a.is_new) as delivered,
        count(*) filter (where a.opened) as opened
      from unnest(${added.map(({ id }) => id)}::uuid[], ${added.map(({ opened }) => opened)}::boolean[],
        ${added.map(({ is_new: isNew }) => isNew)}::boolean[]) as a (id, opened, is_new)
      group by 1
    ),
    locked as (
      select n.id from cedar.notification n where n.id in (select id from added)
      order by n.id for update
    ),
    counted as (
      update cedar.notification n
      set delivered = n.delivered + added.delivered, opened = n.opened + added.opened
      from added join locked using (id) where n.id = added.id
      returning n.product_id, n.provider_id, added.delivered, added.opened
    )
    insert into cedar.notification_hour as h (scope_id, hour, delivered, opened)
    select scope, date_trunc('hour', now(), 'UTC'), sum(delivered), sum(opened)
    from counted, unnest(array[${everyone}::uuid, provider_id, product_id]) as scope
    group by scope order by scope
    on conflict (scope_id, hour) do update
    set delivered = h.delivered + excluded.delivered, opened = h.opened + excluded.opened`.execute(
    db,
  )
}

/** Some of the expired receipts. */
export async function deleteOldReceipts(db: CedarDb): Promise<number> {
  const { rows } = await sql`
    delete from cedar.notification_receipt where (notification_id, device_id) in (
      select r.notification_id, r.device_id from cedar.notification n
      join cedar.notification_receipt r on r.notification_id = n.id
      where n.at < now() - ${countedFor} and n.at > now() - ${countedFor} - interval '40 days'
      limit 1000)
    returning notification_id`.execute(db)
  return rows.length
}
