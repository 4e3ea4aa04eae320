import { sql } from 'kysely'
import type { BrokerProblem } from '@grove/contract/maple/about.rules'
import type { MapleDb } from '../../../base/tables.ts'

/** How long a dead process keeps others from the broker. */
const holdSeconds = 15

/** A process's report on its connection to the broker. */
export interface AtBroker {
  isConnected: boolean
  problem: Exclude<BrokerProblem, 'no_gateway'> | null
}

/** Whether this process may be connected to the broker now: one at a time is. */
export async function holdBroker(
  db: MapleDb,
  gatewayId: string,
  { isConnected, problem }: AtBroker,
): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.broker_holder as holder (gateway_id, until, is_connected, problem)
    values (${gatewayId}, now() + make_interval(secs => ${holdSeconds}), ${isConnected}, ${problem})
    on conflict (is_only) do update set gateway_id = excluded.gateway_id, until = excluded.until,
      is_connected = excluded.is_connected, problem = excluded.problem
    where holder.gateway_id = excluded.gateway_id or holder.until < now()
    returning 1`.execute(db)
  return rows.length > 0
}

/** Whether some process is connected to the broker, and if not, why. */
export async function readBroker(
  db: MapleDb,
): Promise<{ isConnected: boolean; problem: BrokerProblem | null }> {
  const { rows } = await sql<AtBroker>`
    select is_connected as "isConnected", problem from maple.broker_holder
    where until > now()`.execute(db)
  return rows[0] ?? { isConnected: false, problem: 'no_gateway' }
}

export async function leaveBroker(db: MapleDb, gatewayId: string): Promise<void> {
  await sql`delete from maple.broker_holder where gateway_id = ${gatewayId}`.execute(db)
}

export interface AccountChange {
  id: number
  userName: string
  /** Null if the account is removed. */
  sealedSecret: string | null
}

/** The broker is to have an account for this secret. */
export async function addAccount(
  db: MapleDb,
  { userName, sealedSecret }: Omit<AccountChange, 'id'>,
): Promise<void> {
  await sql`
    insert into maple.broker_change (user_name, sealed_secret)
    values (${userName}, ${sealedSecret})`.execute(db)
}

/** Removals come first. */
export async function nextAccountChanges(db: MapleDb, most: number): Promise<AccountChange[]> {
  const { rows } = await sql<AccountChange>`
    select id::float8 as id, user_name as "userName", sealed_secret as "sealedSecret"
    from maple.broker_change where next_at <= now()
    order by sealed_secret is not null, id limit ${most}`.execute(db)
  return rows
}

export async function deleteAccountChanges(db: MapleDb, ids: readonly number[]): Promise<void> {
  await sql`delete from maple.broker_change where id = any(${ids}::bigint[])`.execute(db)
}

/** The broker rejected them: they are retried after a minute. */
export async function postponeAccountChanges(db: MapleDb, ids: readonly number[]): Promise<void> {
  await sql`
    update maple.broker_change set next_at = now() + interval '1 minute'
    where id = any(${ids}::bigint[])`.execute(db)
}
