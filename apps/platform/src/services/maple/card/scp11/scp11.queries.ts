import { sql } from 'kysely'
import type { Scp11Variant } from '@grove/contract/maple/card/scp11.rules'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { Sealed } from '../../../../core/vault/vault.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** Credentials with their encrypted private key. They never leave the service. */
export interface StoredCredential {
  id: string
  name: string
  variant: Scp11Variant
  keyVersion: number
  keyLength: 16 | 24 | 32
  /** Points in hex. */
  authorities: string[]
  /** In hex, the host key’s own last; none for variant b. */
  certificates: string[]
  /** The version of the card’s key for the authority that issued the first of them. */
  authorityVersion: number | null
  authorityKeyId: number | null
  sealed: Sealed | null
  isDefault: boolean
  createdBy: string
  createdAt: string
}

type Row = Omit<StoredCredential, 'sealed'> & {
  vaultKey: number | null
  wrappedKey: Buffer | null
  body: Buffer | null
}

const columns = sql`
  credential.id, credential.name, credential.variant, credential.key_version as "keyVersion",
  credential.key_length as "keyLength", credential.authorities, credential.certificates,
  credential.authority_version as "authorityVersion",
  credential.authority_key_id as "authorityKeyId", credential.vault_key as "vaultKey",
  credential.wrapped_key as "wrappedKey", credential.sealed_keys as body,
  chosen.cplc is not null as "isDefault", credential.created_by as "createdBy",
  to_char(credential.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"`

/** Credentials of the element's service provider; of none, if the element has none. */
const fitting = (cplc: string) => sql`
  from maple.scp11_credential as credential
  join maple.element as element on element.cplc = ${cplc}
    and credential.service_id is not distinct from element.service_id
  left join maple.scp11_default as chosen
    on chosen.cplc = element.cplc and chosen.credential_id = credential.id`

const storedOf = ({ vaultKey, wrappedKey, body, ...row }: Row): StoredCredential => ({
  ...row,
  sealed: vaultKey === null || !wrappedKey || !body ? null : { vaultKey, wrappedKey, body },
})

/** The credentials for an element within a scope, by name. */
export async function credentialsFor(
  db: MapleDb,
  { cplc, scope }: { cplc: string; scope: Scope },
): Promise<StoredCredential[]> {
  const { rows } = await sql<Row>`
    select ${columns} ${fitting(cplc)} where ${inScope(scope, 'credential.service_id')}
    order by credential.name_key, credential.id
  `.execute(db)
  return rows.map(storedOf)
}

/** The credentials with an id, or those chosen by default for the element. */
export async function findCredential(
  db: MapleDb,
  { cplc, id }: { cplc: string; id: string | undefined },
): Promise<StoredCredential | undefined> {
  const which = id === undefined ? sql`chosen.cplc is not null` : sql`credential.id = ${id}`
  const { rows } = await sql<Row>`
    select ${columns} ${fitting(cplc)} where ${which}
  `.execute(db)
  return rows.map(storedOf)[0]
}

export async function countCredentials(db: MapleDb, serviceId: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.scp11_credential
    where service_id is not distinct from ${serviceId}
  `.execute(db)
  return rows[0]?.count ?? 0
}

export async function insertCredential(
  db: MapleDb,
  row: Omit<StoredCredential, 'isDefault' | 'createdAt'> & { serviceId: string | null },
): Promise<void> {
  await sql`
    insert into maple.scp11_credential (id, service_id, name, name_key, variant, key_version,
      key_length, authorities, certificates, authority_version, authority_key_id, vault_key,
      wrapped_key, sealed_keys, created_by)
    values (${row.id}, ${row.serviceId}, ${row.name}, ${nameKey(row.name)}, ${row.variant},
      ${row.keyVersion}, ${row.keyLength}, ${row.authorities}::text[],
      ${row.certificates}::text[], ${row.authorityVersion}, ${row.authorityKeyId},
      ${row.sealed?.vaultKey ?? null}, ${row.sealed?.wrappedKey ?? null},
      ${row.sealed?.body ?? null}, ${row.createdBy})
  `.execute(db)
}

export async function setDefault(db: MapleDb, cplc: string, id: string | null): Promise<void> {
  await (
    id === null
      ? sql`delete from maple.scp11_default where cplc = ${cplc}`
      : sql`
        insert into maple.scp11_default (cplc, credential_id) values (${cplc}, ${id})
        on conflict (cplc) do update set credential_id = excluded.credential_id`
  ).execute(db)
}

export async function deleteCredential(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.scp11_credential where id = ${id}`.execute(db)
}
