import { randomUUID, type X509Certificate } from 'node:crypto'
import type { CertificateRefusal } from '@grove/contract/maple/connect/certificate-authority.rules'
import { anonymous } from '../../../../core/actor.ts'
import { everything } from '../../../../core/scope.ts'
import { credentialEvents } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { newDevice } from '../claim-code/claim-code.service.ts'
import { changeDevice, insertDevice, lockDevice } from '../../fleet/device/device.queries.ts'
import { proveDevice } from '../../fleet/device/take-over.queries.ts'
import { recordDispute, recordTaking, takeOverDevice } from '../../fleet/device/take-over.ts'
import type { Identity } from '../gateway/gateway.queries.ts'
import { can } from '../connect.policy.ts'
import { products } from '../product/product.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { deviceIdOf, isIssuedBy, readCertificate, refusalOf, serialOf } from './certificate.ts'
import {
  findAuthority,
  findCandidates,
  insertCertificate,
  noteRefusal,
  type Candidate,
  type CertifiedDevice,
} from './certificate-authority.queries.ts'

/** Why a certificate opens nothing, in one sentence for the log. */
const sentences = {
  unknownAuthority:
    'Its certificate is not signed by a certificate authority with proven ownership.',
  suspended: 'The service provider of its certificate authority is suspended.',
  authorityDisabled: 'The certificate authority that signed its certificate is disabled.',
  authorityExpired: 'The certificate of the authority that signed its certificate has expired.',
  expired: 'Its certificate has expired.',
  notYetValid: 'Its certificate becomes valid more than a day from now.',
  purpose: 'Its certificate belongs to an authority, or is not for TLS clients.',
  deviceId: 'Its certificate has no single common name that is a device id.',
  revoked: 'Its certificate is revoked.',
  otherOwner: 'Its certificate names a device of another service provider.',
  otherProduct: 'Its certificate names a device of another product than the authority is for.',
  retired: 'Its certificate names a device that is retired.',
  productEnded: 'It is new, and the product of its certificate authority is at its end of life.',
} satisfies Record<CertificateRefusal | 'unknownAuthority' | 'suspended', string>

type Known = { identity: Identity } | { candidate: Candidate; deviceId: string; serial: string }
/** The device is named if its authority vouches for the name. */
type Refused = { refused: string; deviceId?: string | undefined; isDisputed?: boolean }

const actor = anonymous({ requestId: '', ip: '', userAgent: 'device with a certificate' })

/** A conflict over an id can be settled by people: the device retries. */
const refusedFor = (reason: CertificateRefusal, deviceId: string | undefined): Refused => ({
  refused: sentences[reason],
  deviceId,
  isDisputed: reason === 'otherOwner',
})

/**
 * The device of a certificate. TLS has proven that it has the key. An unregistered device is created,
 * as the authority is set up. @throws the errors of the database.
 */
export async function admitCertificate(
  context: MapleContext,
  certificate: X509Certificate,
): Promise<{ identity: Identity } | Refused> {
  const found = await checkCertificate(context, certificate)
  return 'candidate' in found ? admitFirst(context, found, certificate) : found
}

/** The id of a device that has connected with this certificate, and may now. */
export async function findCertified(
  context: MapleContext,
  certificate: X509Certificate,
): Promise<string | undefined> {
  const found = await checkCertificate(context, certificate)
  return 'identity' in found ? found.identity.deviceId : undefined
}

async function checkCertificate(
  { db, now }: MapleContext,
  certificate: X509Certificate,
): Promise<Known | Refused> {
  const serial = serialOf(certificate)
  const named = deviceIdOf(certificate)
  const deviceId = named ?? ''
  const candidates = await findCandidates(db, { issuer: certificate.issuer, serial, deviceId })
  for (const candidate of candidates) {
    const authority = readCertificate(candidate.certificate)
    if (!authority || !isIssuedBy(certificate, authority)) continue
    if (candidate.isSuspended) return { refused: sentences.suspended }
    const reason = refusalOf(certificate, authority, now()) ?? refusalOfDevice(candidate)
    const { authorityId, serviceId, certificateId, snapshot } = candidate
    const isTheirs = candidate.deviceId !== null && candidate.deviceServiceId !== serviceId
    if (reason === undefined)
      return certificateId === null || isTheirs
        ? { candidate, deviceId, serial }
        : {
            identity: {
              deviceId,
              serviceId,
              credentialId: certificateId,
              certificate: { authorityId, serial },
              snapshot,
            },
          }
    await tellRefusal(db, candidate, { deviceId, serial, reason })
    return refusedFor(reason, named)
  }
  return { refused: sentences.unknownAuthority }
}

/** Why a certificate does not admit its device, regardless of its dates. */
export function refusalOfDevice(found: CertifiedDevice): CertificateRefusal | undefined {
  if (!found.isEnabled) return 'authorityDisabled'
  if (found.isRevoked) return 'revoked'
  if (found.deviceId === null) return undefined
  if (found.deviceServiceId !== found.serviceId) return givesWay(found) ? undefined : 'otherOwner'
  if (found.deviceState === 'retired') return 'retired'
  const isOther = found.deviceProductId !== null && found.deviceProductId !== found.productId
  return found.productId !== null && isOther ? 'otherProduct' : undefined
}

/** Registered by another service provider, without proof. */
const givesWay = (found: CertifiedDevice) =>
  !found.isDeviceProven && found.serviceId !== null && found.deviceServiceId !== null

/** Both to the one who has the certificate: the last refusal of its authority, and an event. */
async function tellRefusal(
  db: MapleDb,
  { authorityId, serviceId }: Candidate,
  { deviceId, serial, reason }: { deviceId: string; serial: string; reason: CertificateRefusal },
): Promise<void> {
  await noteRefusal(db, { authorityId, serial, reason })
  if (reason === 'otherOwner')
    await recordDispute(db, actor, 'device.dispute', deviceId, {
      of: authorityId,
      serviceId,
      after: { proof: 'certificate', serial },
    })
}

/** The first connection with this certificate. */
function admitFirst(
  { db }: MapleContext,
  { candidate, deviceId, serial }: Exclude<Known, { identity: Identity }>,
  certificate: X509Certificate,
): Promise<{ identity: Identity } | Refused> {
  const { authorityId, serviceId, snapshot } = candidate
  return db.transaction().execute(async (tx) => {
    const authority = await findAuthority(tx, authorityId, everything)
    if (!authority) return { refused: sentences.unknownAuthority }
    const refuse = async (reason: CertificateRefusal) => {
      await tellRefusal(tx, candidate, { deviceId, serial, reason })
      return refusedFor(reason, deviceId)
    }
    const product =
      authority.productId && (await products.share(tx, authority.productId, everything))
    const { type, state, productId } = authority
    const given = newDevice(deviceId, { type, state, serviceId, productId })
    const isEnded = product && can(actor, 'product.claim', product) !== null
    const proof = 'certificate'
    const taking = { serviceId, proof, since: candidate.provedAt } as const
    const isTaken = !isEnded && (await takeOverDevice(tx, actor, deviceId, taking))
    // Of two concurrent connections, one creates the device.
    const isNew =
      !isEnded && (isTaken || !candidate.deviceId) && (await insertDevice(tx, deviceId, given))
    const device = await lockDevice(tx, deviceId, everything)
    if (!device) return refuse('productEnded')
    // It may have been created since the certificate was checked.
    if (device.serviceId !== serviceId) return refuse('otherOwner')
    if (!isNew && product && device.productId === null)
      await changeDevice(tx, deviceId, { productId: product.id })
    if (isTaken && isNew) await recordTaking(tx, actor, deviceId, proof)
    await proveDevice(tx, deviceId)
    const credentialId = await insertCertificate(tx, {
      id: randomUUID(),
      authorityId,
      serial,
      deviceId,
      validTo: new Date(certificate.validTo),
    })
    await credentialEvents.record(tx, actor, 'device.certify', deviceId, {
      after: { id: deviceId, authority: authority.name, serial },
    })
    return {
      identity: {
        deviceId,
        serviceId,
        credentialId,
        certificate: { authorityId, serial },
        snapshot,
      },
    }
  })
}
