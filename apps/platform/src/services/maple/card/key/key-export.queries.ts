import { sql } from 'kysely'
import type { KeyExport, WrappedKeys } from '@grove/contract/maple/card/key'
import {
  keyExportDays,
  maxKeyExports,
  type KeyWrapping,
} from '@grove/contract/maple/card/key.rules'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { MapleDb } from '../../base/tables.ts'

export async function insertExport(
  db: MapleDb,
  row: {
    id: string
    cplc: string
    keySet: string
    approvalId: string
    requestedBy: string
    transportCheckValue: string
    wrapping: KeyWrapping
    sealed: Sealed
  },
): Promise<void> {
  const { vaultKey, wrappedKey, body } = row.sealed
  await sql`
    insert into maple.key_export (id, cplc, key_set, approval_id, requested_by,
      transport_check_value, wrapping, vault_key, wrapped_key, sealed_keys)
    values (${row.id}, ${row.cplc}, ${row.keySet}, ${row.approvalId}, ${row.requestedBy},
      ${row.transportCheckValue}, ${row.wrapping}, ${vaultKey}, ${wrappedKey}, ${body})
  `.execute(db)
}

/** The newest exports that a person requested. */
export async function exportsOf(
  db: MapleDb,
  { cplc, requestedBy }: { cplc: string; requestedBy: string },
): Promise<KeyExport[]> {
  const { rows } = await sql<KeyExport>`
    select wanted.id, wanted.cplc, key.domain_aid as domain, key.version,
      wanted.wrapping, wanted.transport_check_value as "transportCheckValue",
      coalesce(wanted.document, wanted.blocks) as document,
      json_build_object('id', approval.id, 'state', approval.state) as approval,
      to_char(wanted.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"
    from maple.key_export as wanted
    join maple.key_set as key on key.id = wanted.key_set
    join maple.approval as approval on approval.id = wanted.approval_id
    where wanted.cplc = ${cplc} and wanted.requested_by = ${requestedBy}
    order by wanted.created_at desc, wanted.id limit ${sql.lit(maxKeyExports)}
  `.execute(db)
  return rows
}

export interface WaitingExport {
  id: string
  keySet: string
  wrapping: KeyWrapping
  transportCheckValue: string
  /** Null once the keys are wrapped. */
  sealed: Sealed | null
}

export async function findExport(
  db: MapleDb,
  approvalId: string,
): Promise<WaitingExport | undefined> {
  const { rows } = await sql<
    Omit<WaitingExport, 'sealed'> & {
      vaultKey: number | null
      wrappedKey: Buffer | null
      body: Buffer | null
    }
  >`
    select id, key_set as "keySet", wrapping, transport_check_value as "transportCheckValue",
      vault_key as "vaultKey", wrapped_key as "wrappedKey", sealed_keys as body
    from maple.key_export where approval_id = ${approvalId} for update
  `.execute(db)
  return rows.map(({ vaultKey, wrappedKey, body, ...each }) => ({
    ...each,
    sealed: vaultKey === null || !wrappedKey || !body ? null : { vaultKey, wrappedKey, body },
  }))[0]
}

/** Stores wrapped keys, and destroys the transport key. */
export async function storeWrapped(db: MapleDb, id: string, document: WrappedKeys): Promise<void> {
  // Migration 0081 stores the two formats in separate columns.
  const column = document.wrapping === 'TR-31' ? sql`blocks` : sql`document`
  await sql`
    update maple.key_export set ${column} = ${JSON.stringify(document)}::jsonb, vault_key = null,
      wrapped_key = null, sealed_keys = null
    where id = ${id}
  `.execute(db)
}

/** Deletes expired exports, and transport keys whose request was never decided. */
export async function forgetExports(db: MapleDb): Promise<void> {
  await sql`
    delete from maple.key_export
    where created_at < now() - make_interval(days => ${sql.lit(keyExportDays)})
  `.execute(db)
}
