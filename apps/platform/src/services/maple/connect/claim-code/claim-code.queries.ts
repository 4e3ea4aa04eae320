import { sql } from 'kysely'
import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import type { ListQuery } from '../../../../core/database/define-list.ts'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

const selected = sql`
  claim.id, claim.name, claim.service_id as "serviceId", claim.type, claim.state,
  claim.product_id as "productId", claim.uses,
  claim.most_uses as "mostUses", claim.created_by as "createdBy", claim.created_at as "createdAt",
  claim.expires_at as "expiresAt"`

const isUsable = sql`claim.expires_at > now()`

const codes = defineOwned<ClaimCode, ListQuery>({
  table: 'maple.claim_code',
  as: 'claim',
  columns: selected,
})

export const { find: findClaimCode } = codes

export const listClaimCodes = (db: MapleDb, scope: Scope, limit: number) =>
  codes.select(
    db,
    sql`where ${inScope(scope, 'claim.service_id')} and ${isUsable} and uses < most_uses
      order by created_at desc, id limit ${limit}`,
  )

/** All of a product, including used-up and expired ones. */
export const listCodesOfProduct = (db: MapleDb, productId: string, limit: number) =>
  codes.select(db, sql`where product_id = ${productId} order by created_at desc, id limit ${limit}`)

/** Codes that expired a while ago; the secrets created with them stay. */
export async function deleteExpired(db: MapleDb): Promise<void> {
  await sql`
    delete from maple.claim_code as claim where not (${isUsable})
      and (product_id is null or expires_at < now() - interval '30 days')`.execute(db)
}

export async function countClaimCodes(db: MapleDb, serviceId: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.claim_code
    where service_id is not distinct from ${serviceId} and uses < most_uses and expires_at > now()`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

type Given = Pick<
  ClaimCode,
  'id' | 'name' | 'serviceId' | 'type' | 'state' | 'productId' | 'mostUses' | 'createdBy'
>

export async function insertClaimCode(
  db: MapleDb,
  code: Given & { codeHash: string; hours: number },
): Promise<ClaimCode> {
  const { rows } = await sql<ClaimCode>`
    insert into maple.claim_code as claim
      (id, name, service_id, type, state, product_id, code_hash, most_uses, created_by, expires_at)
    values (${code.id}, ${code.name}, ${code.serviceId}, ${code.type}, ${code.state},
      ${code.productId}, ${code.codeHash}, ${code.mostUses}, ${code.createdBy},
      now() + make_interval(hours => ${code.hours}::int))
    returning ${selected}`.execute(db)
  const [made] = rows
  if (!made) throw new Error('A claim code was not stored.')
  return made
}

export async function deleteClaimCode(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<ClaimCode | undefined> {
  const { rows } = await sql<ClaimCode>`
    delete from maple.claim_code as claim where id = ${id} and ${inScope(scope, 'claim.service_id')}
    returning ${selected}`.execute(db)
  return rows[0]
}

/** Undefined for a code that is wrong, old, or of a suspended provider. */
export const findUsableCode = (db: MapleDb, codeHash: string) =>
  codes.first(
    db,
    sql`where code_hash = ${codeHash} and ${isUsable} and not exists (
      select from maple.service where id = claim.service_id and state = 'suspended')`,
  )

/** Locks the code for the transaction. False if it is used up, or deleted meanwhile. */
export async function useClaimCode(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    update maple.claim_code set uses = uses + 1 where id = ${id} and uses < most_uses
    returning 1`.execute(db)
  return rows.length > 0
}
