import { sql } from 'kysely'
import type { Diversification } from '@grove/secure-element/keys/diversification'
import type { KeyMismatch, KeySet } from '@grove/contract/maple/card/key'
import { chipId } from '@grove/secure-element/cplc'
import { maxKeySets } from '@grove/contract/maple/card/key.rules'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { KeptKeys, KeyBinding, MasterBinding } from './key-provider.ts'

export type KeyState = 'pending' | 'active' | 'old' | 'retired'
export type KeyOrigin = 'imported' | 'generated' | 'delivered' | 'diversified'

/** A key set with what opens it. It never leaves the service. */
export interface StoredKeySet extends KeyBinding, KeptKeys {
  cplc: string
  /** The security domain of the keys; null for the issuer's. */
  domain: string | null
  keyLength: number
  state: KeyState
  master: { binding: MasterBinding; sealed: Sealed; diversification: Diversification } | null
}

interface Row extends KeyBinding {
  cplc: string
  domain: string | null
  keyLength: number
  state: KeyState
  custody: KeptKeys['custody']
  hsmLabel: string | null
  vaultKey: number | null
  wrappedKey: Buffer | null
  sealedKeys: Buffer | null
  diversification: Diversification | null
  masterId: string | null
  masterAlgorithm: KeyBinding['algorithm'] | null
  masterVaultKey: number | null
  masterWrappedKey: Buffer | null
  masterSealedKeys: Buffer | null
}

const columns = sql`
  key.id, key.cplc, key.domain_aid as domain, key.key_length as "keyLength", key.chip_id as "chipId", key.version, key.protocol, key.algorithm, key.state,
  key.custody, key.hsm_label as "hsmLabel", key.vault_key as "vaultKey",
  key.wrapped_key as "wrappedKey", key.sealed_keys as "sealedKeys", key.diversification,
  master.id as "masterId", master.algorithm as "masterAlgorithm",
  master.vault_key as "masterVaultKey", master.wrapped_key as "masterWrappedKey",
  master.sealed_keys as "masterSealedKeys"`

/** Sets that may be on the card: those in use, and those that PUT KEY may have written. */
export const liveSets = (db: MapleDb, cplc: string) => setsOf(db, cplc, ['active', 'pending'])

/** The sets of an element in some states, oldest first. */
export async function setsOf(
  db: MapleDb,
  cplc: string,
  states: readonly KeyState[],
): Promise<StoredKeySet[]> {
  const { rows } = await sql<Row>`
    select ${columns} from maple.key_set as key left join maple.master_key as master on master.id = key.master_id
    where key.cplc = ${cplc} and key.state = any(${states}::maple.key_state[])
    order by key.created_at, key.id
  `.execute(db)
  return rows.map(storedSet)
}

/** Whether Grove has keys of the element that may be on its card. */
export async function hasKeys(db: MapleDb, cplc: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.key_set where cplc = ${cplc} and state in ('active', 'pending') limit 1
  `.execute(db)
  return rows.length > 0
}

const sealedOf = (version: number | null, wrapped: Buffer | null, body: Buffer | null) =>
  version === null || !wrapped || !body ? null : { vaultKey: version, wrappedKey: wrapped, body }

function storedSet(row: Row): StoredKeySet {
  const { vaultKey, wrappedKey, sealedKeys, diversification, masterId, masterAlgorithm } = row
  const { masterVaultKey, masterWrappedKey, masterSealedKeys, ...set } = row
  const sealed = sealedOf(masterVaultKey, masterWrappedKey, masterSealedKeys)
  return {
    ...set,
    // Of the element that the row belongs to: keys that were moved to another one open nothing.
    chipId: chipId(set.cplc),
    sealed: sealedOf(vaultKey, wrappedKey, sealedKeys),
    master:
      masterId && masterAlgorithm && diversification && sealed
        ? { binding: { id: masterId, algorithm: masterAlgorithm }, sealed, diversification }
        : null,
  }
}

/** A key set whose keys are stored, before its row is written. */
export interface AddedSet extends KeyBinding {
  cplc: string
  domain: string | null
  keyLength: number
  checkValues: readonly string[] | null
  state: KeyState
  origin: KeyOrigin
  kept: KeptKeys
  master: { id: string; diversification: Diversification } | null
}

export async function insertKeySet(db: MapleDb, set: AddedSet): Promise<void> {
  const { kept, master } = set
  await sql`
    insert into maple.key_set (id, cplc, domain_aid, version, protocol, algorithm, key_length, check_values,
      state, custody, origin, master_id, diversification, chip_id, vault_key, wrapped_key,
      sealed_keys, hsm_label)
    values (${set.id}, ${set.cplc}, ${set.domain}, ${set.version}, ${set.protocol}, ${set.algorithm},
      ${set.keyLength}, ${set.checkValues}::text[], ${set.state}, ${kept.custody}, ${set.origin},
      ${master?.id ?? null}, ${master?.diversification ?? null}, ${set.chipId},
      ${kept.sealed?.vaultKey ?? null}, ${kept.sealed?.wrappedKey ?? null},
      ${kept.sealed?.body ?? null}, ${kept.hsmLabel})
  `.execute(db)
}

/** Keys of domains that left the card are kept, so that a card that was reset can be recognised. */
export async function leaveDomains(
  db: MapleDb,
  cplc: string,
  present: readonly string[],
): Promise<void> {
  await sql`
    update maple.key_set set state = 'old', updated_at = now()
    where cplc = ${cplc} and state = 'active' and domain_aid <> all(${present}::text[])
  `.execute(db)
}

/** Retires every key set of an element that was reset to an earlier state. */
export async function retireKeySets(db: MapleDb, cplc: string): Promise<void> {
  await sql`
    update maple.key_set set state = 'retired', sealed_keys = null, wrapped_key = null,
      vault_key = null, hsm_label = null, updated_at = now()
    where cplc = ${cplc} and state <> 'retired'
  `.execute(db)
}
const moment = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const listed = sql`
  key.id, key.domain_aid as domain, key.version, key.protocol, key.algorithm,
  key.key_length as "keyLength", key.check_values as "checkValues", key.custody, key.state, key.origin,
  case when master.id is null then null
    else json_build_object('id', master.id, 'name', master.name) end as master,
  key.diversification, ${moment('key.created_at')} as "createdAt",
  ${moment('key.updated_at')} as "updatedAt"
  from maple.key_set as key left join maple.master_key as master on master.id = key.master_id`

/** An element’s sets as shown to people, newest first. */
export async function listSets(db: MapleDb, cplc: string): Promise<KeySet[]> {
  const { rows } = await sql<KeySet>`
    select ${listed} where key.cplc = ${cplc}
    order by key.created_at desc, key.id limit ${sql.lit(maxKeySets)}
  `.execute(db)
  return rows
}

export async function findSet(
  db: MapleDb,
  id: string,
): Promise<(KeySet & { cplc: string; hsmLabel: string | null }) | undefined> {
  const { rows } = await sql<KeySet & { cplc: string; hsmLabel: string | null }>`
    select key.cplc, key.hsm_label as "hsmLabel", ${listed} where key.id = ${id}
  `.execute(db)
  return rows[0]
}

/** Destroys the keys of a set; its row stays as history. */
export async function retireSet(db: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.key_set set state = 'retired', sealed_keys = null, wrapped_key = null,
      vault_key = null, hsm_label = null, updated_at = now()
    where id = ${id}
  `.execute(db)
}

export async function setState(db: MapleDb, id: string, state: KeyState): Promise<void> {
  await sql`
    update maple.key_set set state = ${state}::maple.key_state, updated_at = now() where id = ${id}
  `.execute(db)
}

export async function storeMismatch(
  db: MapleDb,
  cplc: string,
  {
    version,
    protocol,
    finding,
    foundVersion,
    diversification,
    masterName,
  }: Omit<KeyMismatch, 'at'>,
): Promise<void> {
  await sql`
    insert into maple.key_mismatch
      (cplc, version, protocol, finding, found_version, diversification, master_name)
    values (${cplc}, ${version}, ${protocol}, ${finding}, ${foundVersion}, ${diversification},
      ${masterName})
    on conflict (cplc) do update set at = now(), version = excluded.version,
      protocol = excluded.protocol, finding = excluded.finding,
      found_version = excluded.found_version, diversification = excluded.diversification,
      master_name = excluded.master_name
  `.execute(db)
}

export async function findMismatch(db: MapleDb, cplc: string): Promise<KeyMismatch | undefined> {
  const { rows } = await sql<KeyMismatch>`
    select at, version, protocol, finding, found_version as "foundVersion", diversification,
      master_name as "masterName"
    from maple.key_mismatch where cplc = ${cplc}
  `.execute(db)
  return rows[0]
}

/** Keys fit again. */
export async function forgetMismatch(db: MapleDb, cplc: string): Promise<void> {
  await sql`delete from maple.key_mismatch where cplc = ${cplc}`.execute(db)
}
