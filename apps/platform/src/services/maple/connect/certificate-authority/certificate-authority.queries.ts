import { sql } from 'kysely'
import type {
  CertificateAuthority,
  CertificateOfDevice,
  DeviceCertificate,
} from '@grove/contract/maple/connect/certificate-authority'
import {
  certifiedCountLimit,
  type CertificateRefusal,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import type { ListQuery } from '../../../../core/database/define-list.ts'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** An authority as it is stored; what may be done to it depends on the reader. */
export type AuthorityFacts = Omit<CertificateAuthority, 'rights'> & { certificate: Buffer }

export const {
  select: selectAuthorities,
  find: findAuthority,
  lock: lockAuthority,
  count: countAuthorities,
  delete: deleteAuthority,
} = defineOwned<AuthorityFacts, ListQuery>({
  table: 'maple.certificate_authority',
  as: 'authority',
  columns: sql`
    authority.id, authority.service_id as "serviceId", authority.product_id as "productId",
    authority.name, authority.certificate, authority.subject, authority.fingerprint,
    authority.valid_from as "validFrom", authority.valid_to as "validTo", authority.type,
    authority.state, authority.challenge, authority.is_enabled as "isEnabled",
    (select json_build_object('value', least(count(*), ${sql.lit(certifiedCountLimit)}),
        'isCapped', count(*) > ${sql.lit(certifiedCountLimit)})
      from (select distinct device_id from maple.device_certificate
        where authority_id = authority.id limit ${sql.lit(certifiedCountLimit + 1)}) as known
    ) as devices,
    case when authority.refusal is not null then json_build_object(
      'at', to_char(authority.refused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'serial', authority.refused_serial, 'reason', authority.refusal) end as refused,
    authority.created_by as "createdBy", authority.revision,
    authority.created_at as "createdAt", authority.updated_at as "updatedAt"`,
})

export const listAuthorities = (db: MapleDb, scope: Scope, limit: number) =>
  selectAuthorities(
    db,
    sql`where ${inScope(scope, 'authority.service_id')} order by created_at desc, id limit ${limit}`,
  )

/** Those of a product, and those of its service provider without a product. */
export const listOfProduct = (
  db: MapleDb,
  { id, serviceId }: { id: string; serviceId: string | null },
) =>
  selectAuthorities(
    db,
    sql`where service_id is not distinct from ${serviceId}
      and (product_id is null or product_id = ${id}) order by created_at desc, id`,
  )

type Given = Pick<
  AuthorityFacts,
  | 'id'
  | 'serviceId'
  | 'productId'
  | 'name'
  | 'certificate'
  | 'subject'
  | 'fingerprint'
  | 'type'
  | 'state'
  | 'challenge'
  | 'createdBy'
> & { keyHash: string; validFrom: Date; validTo: Date }

export async function insertAuthority(db: MapleDb, given: Given): Promise<void> {
  await sql`
    insert into maple.certificate_authority (id, service_id, product_id, name, certificate, subject,
      key_hash, fingerprint, valid_from, valid_to, type, state, challenge, created_by)
    values (${given.id}, ${given.serviceId}, ${given.productId}, ${given.name},
      ${given.certificate}, ${given.subject}, ${given.keyHash}, ${given.fingerprint},
      ${given.validFrom.toISOString()}::timestamptz, ${given.validTo.toISOString()}::timestamptz,
      ${given.type}, ${given.state}, ${given.challenge}, ${given.createdBy})`.execute(db)
}

export async function proveAuthority(db: MapleDb, id: string): Promise<void> {
  await sql`
    update maple.certificate_authority set challenge = null, proved_at = now(),
      revision = revision + 1, updated_at = now() where id = ${id}`.execute(db)
}

export async function changeAuthority(
  db: MapleDb,
  { id, name, state, isEnabled }: Pick<AuthorityFacts, 'id' | 'name' | 'state' | 'isEnabled'>,
): Promise<void> {
  await sql`
    update maple.certificate_authority set name = ${name}, state = ${state},
      is_enabled = ${isEnabled}, revision = revision + 1, updated_at = now()
    where id = ${id}
      and (name, state, is_enabled) is distinct from (${name}, ${state}::maple.device_state,
        ${isEnabled}::boolean)`.execute(db)
}

/** The newest certificates of an authority, or those with one serial number. */
export async function listCertificates(
  db: MapleDb,
  {
    authorityId,
    serial = null,
    limit,
  }: { authorityId: string; serial?: string | null; limit: number },
): Promise<DeviceCertificate[]> {
  const { rows } = await sql<DeviceCertificate>`
    select * from (
      select serial, known.device_id as "deviceId", known.created_at as "usedAt",
        known.valid_to as "validTo", revoked.revoked_at as "revokedAt"
      from (
        select * from maple.device_certificate where authority_id = ${authorityId}
          and (${serial}::text is null or serial = ${serial})
        order by created_at desc, id limit ${limit}
      ) as known
      full join (
        select * from maple.revoked_certificate where authority_id = ${authorityId}
          and (${serial}::text is null or serial = ${serial})
        order by revoked_at desc limit ${limit}
      ) as revoked using (authority_id, serial)
    ) as every order by coalesce("usedAt", "revokedAt") desc, serial limit ${limit}`.execute(db)
  return rows
}

/** False if it was already revoked. */
export async function revokeSerial(
  db: MapleDb,
  given: { authorityId: string; serial: string; revokedBy: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.revoked_certificate (authority_id, serial, revoked_by)
    values (${given.authorityId}, ${given.serial}, ${given.revokedBy})
    on conflict do nothing returning 1`.execute(db)
  return rows.length > 0
}

/** The device named by a certificate, and its authority's settings. */
export interface CertifiedDevice {
  isEnabled: boolean
  isRevoked: boolean
  serviceId: string | null
  productId: string | null
  /** Null if the device is not registered. */
  deviceId: string | null
  deviceServiceId: string | null
  deviceState: string | null
  deviceProductId: string | null
  /** The device's owner has given proof. */
  isDeviceProven: boolean
}

/** A certificate that a device connected with, of an authority in the scope. */
export type CertificateFacts = Omit<CertificateOfDevice, 'refusal'> & {
  authorityValidTo: string
  facts: CertifiedDevice
}

/** The newest that a device connected with. */
export async function listOfDevice(
  db: MapleDb,
  { deviceId, scope, limit }: { deviceId: string; scope: Scope; limit: number },
): Promise<CertificateFacts[]> {
  const { rows } = await sql<CertificateFacts>`
    select known.serial, authority.id as "authorityId", authority.name as authority,
      known.created_at as "usedAt", known.valid_to as "validTo",
      revoked.revoked_at as "revokedAt", authority.valid_to as "authorityValidTo",
      json_build_object('isEnabled', authority.is_enabled, 'isRevoked', revoked.serial is not null,
        'serviceId', authority.service_id, 'productId', authority.product_id,
        'deviceId', device.id, 'deviceServiceId', device.service_id, 'deviceState', device.state,
        'deviceProductId', device.product_id,
        'isDeviceProven', device.proven_at is not null) as facts
    from maple.device_certificate as known
    join maple.device as device on device.id = known.device_id
    join maple.certificate_authority as authority on authority.id = known.authority_id
    left join maple.revoked_certificate as revoked
      on revoked.authority_id = known.authority_id and revoked.serial = known.serial
    where known.device_id = ${deviceId} and ${inScope(scope, 'authority.service_id')}
    order by known.created_at desc, known.id limit ${limit}`.execute(db)
  return rows
}

/** An authority that may have signed a certificate, and the device that the certificate names. */
export interface Candidate extends CertifiedDevice {
  authorityId: string
  certificate: Buffer
  name: string
  isSuspended: boolean
  provedAt: string
  /** The device connected with this certificate before. */
  certificateId: string | null
  snapshot: string
}

export async function findCandidates(
  db: MapleDb,
  given: { issuer: string; serial: string; deviceId: string },
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select authority.id as "authorityId", authority.certificate, authority.name,
      authority.is_enabled as "isEnabled", authority.service_id as "serviceId",
      authority.product_id as "productId", authority.proved_at as "provedAt",
      coalesce(service.state = 'suspended', false) as "isSuspended",
      exists (select from maple.revoked_certificate where authority_id = authority.id
        and serial = ${given.serial}) as "isRevoked",
      device.id as "deviceId", device.service_id as "deviceServiceId",
      device.state as "deviceState", device.product_id as "deviceProductId",
      device.proven_at is not null as "isDeviceProven",
      known.id as "certificateId", pg_current_snapshot()::text as snapshot
    from maple.certificate_authority as authority
    left join maple.service as service on service.id = authority.service_id
    left join maple.device as device on device.id = ${given.deviceId}
    left join maple.device_certificate as known on known.authority_id = authority.id
      and known.serial = ${given.serial} and known.device_id = ${given.deviceId}
    where authority.subject = ${given.issuer} and authority.proved_at is not null`.execute(db)
  return rows
}

/** Its id, even if another connection was first. */
export async function insertCertificate(
  db: MapleDb,
  given: { id: string; authorityId: string; serial: string; deviceId: string; validTo: Date },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_certificate (id, authority_id, serial, device_id, valid_to)
    values (${given.id}, ${given.authorityId}, ${given.serial}, ${given.deviceId},
      ${given.validTo.toISOString()}::timestamptz)
    on conflict (authority_id, serial, device_id) do update set serial = excluded.serial
    returning id`.execute(db)
  return rows[0]?.id ?? given.id
}

/** At most one a second: a refused device retries. */
export async function noteRefusal(
  db: MapleDb,
  given: { authorityId: string; serial: string; reason: CertificateRefusal },
): Promise<void> {
  await sql`
    update maple.certificate_authority set refused_at = now(), refused_serial = ${given.serial},
      refusal = ${given.reason}
    where id = ${given.authorityId}
      and coalesce(refused_at < now() - interval '1 second', true)`.execute(db)
}
