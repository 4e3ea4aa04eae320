import { sql } from 'kysely'
import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import { maxPurposeKeys, type PurposeKeyState } from '@grove/contract/maple/card/purpose-key.rules'
import type { RotationCause } from '@grove/contract/maple/card/key.rules'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A key with its encrypted secret. It never leaves the service. */
export interface StoredPurposeKey extends PurposeKey {
  cplc: string
  sealed: Sealed | null
}

interface Row extends Omit<StoredPurposeKey, 'sealed'> {
  vaultKey: number | null
  wrappedKey: Buffer | null
  body: Buffer | null
}

const moment = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const shown = sql`
  id, domain_aid as domain, purpose, version, kind, length, check_value as "checkValue",
  public_key as "publicKey", sealed_keys is not null as "hasSecret", origin, state, note, cause,
  status_word as "statusWord", created_by as "createdBy", job_id as "jobId",
  ${moment('created_at')} as "createdAt", ${moment('updated_at')} as "updatedAt"`
const stored = sql`
  ${shown}, cplc, vault_key as "vaultKey", wrapped_key as "wrappedKey", sealed_keys as body`

const storedKey = ({ vaultKey, wrappedKey, body, ...row }: Row): StoredPurposeKey => ({
  ...row,
  sealed: vaultKey === null || !wrappedKey || !body ? null : { vaultKey, wrappedKey, body },
})

/** An element’s keys as shown to people, newest first. */
export async function listPurposeKeys(db: MapleDb, cplc: string): Promise<PurposeKey[]> {
  const { rows } = await sql<PurposeKey>`
    select ${shown} from maple.purpose_key where cplc = ${cplc}
    order by created_at desc, id limit ${sql.lit(maxPurposeKeys)}
  `.execute(db)
  return rows
}

export async function findPurposeKey(
  db: MapleDb,
  id: string,
): Promise<StoredPurposeKey | undefined> {
  const { rows } = await sql<Row>`
    select ${stored} from maple.purpose_key where id = ${id}
  `.execute(db)
  return rows.map(storedKey)[0]
}

/** The current keys of an element's domains, according to the records. */
export async function activePurposeKeys(db: MapleDb, cplc: string): Promise<StoredPurposeKey[]> {
  const { rows } = await sql<Row>`
    select ${stored} from maple.purpose_key where cplc = ${cplc} and state = 'active' order by id
  `.execute(db)
  return rows.map(storedKey)
}

/** Whether a key of the element is being sent. */
export async function hasOpenPurposeKey(db: MapleDb, cplc: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.purpose_key where cplc = ${cplc} and state in ('asked', 'sending')
  `.execute(db)
  return rows.length > 0
}

export type NewPurposeKey = Pick<
  StoredPurposeKey,
  | 'id'
  | 'cplc'
  | 'domain'
  | 'purpose'
  | 'version'
  | 'kind'
  | 'length'
  | 'checkValue'
  | 'publicKey'
  | 'origin'
  | 'createdBy'
  | 'sealed'
>

export async function insertPurposeKey(db: MapleDb, row: NewPurposeKey): Promise<void> {
  await sql`
    insert into maple.purpose_key (id, cplc, domain_aid, purpose, version, kind, length, check_value,
      public_key, vault_key, wrapped_key, sealed_keys, origin, state, created_by)
    values (${row.id}, ${row.cplc}, ${row.domain}, ${row.purpose}, ${row.version}, ${row.kind},
      ${row.length}, ${row.checkValue}, ${row.publicKey}, ${row.sealed?.vaultKey ?? null},
      ${row.sealed?.wrappedKey ?? null}, ${row.sealed?.body ?? null}, ${row.origin}, 'asked',
      ${row.createdBy})
  `.execute(db)
}

export async function setPurposeKeyJob(
  db: MapleDb,
  id: string,
  jobId: string | null,
): Promise<void> {
  await sql`update maple.purpose_key set job_id = ${jobId} where id = ${id}`.execute(db)
}

export interface PurposeKeyEnd {
  note: string
  cause: RotationCause
  statusWord?: string
}

/**
 * Stores a state if the key is still being sent. The secret of a key that did not become active is
 * destroyed.
 */
export async function setPurposeKeyState(
  db: MapleDb,
  id: string,
  state: PurposeKeyState,
  { note, cause, statusWord }: Partial<PurposeKeyEnd> = {},
): Promise<boolean> {
  const isEnd = state === 'refused' || state === 'failed'
  const { rows } = await sql`
    update maple.purpose_key set state = ${state}, note = ${note ?? null}, cause = ${cause ?? null},
      status_word = ${statusWord ?? null}, updated_at = now()
      ${isEnd ? sql`, vault_key = null, wrapped_key = null, sealed_keys = null` : sql``}
    where id = ${id} and state in ('asked', 'sending')
    returning 1
  `.execute(db)
  return rows.length > 0
}

/** Makes it the card's key for its purpose, in place of the previous one. */
export async function activatePurposeKey(
  tx: MapleDb,
  { id, cplc, domain, purpose }: StoredPurposeKey,
): Promise<boolean> {
  await sql`
    update maple.purpose_key set state = 'replaced', vault_key = null, wrapped_key = null,
      sealed_keys = null, updated_at = now()
    where cplc = ${cplc} and coalesce(domain_aid, '') = coalesce(${domain}, '')
      and purpose = ${purpose} and state = 'active' and id <> ${id}
  `.execute(tx)
  return setPurposeKeyState(tx, id, 'active')
}

export async function deletePurposeKey(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.purpose_key where id = ${id}`.execute(db)
}

/** A card that was reset has none of them. */
export async function deletePurposeKeysOf(db: MapleDb, cplc: string): Promise<void> {
  await sql`delete from maple.purpose_key where cplc = ${cplc}`.execute(db)
}
