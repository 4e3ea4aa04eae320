import { randomBytes, randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
  CertificateAuthority,
  CertificateOfDevice,
  DeviceCertificate,
} from '@grove/contract/maple/connect/certificate-authority'
import {
  maxAuthorities,
  shownCertificates,
  storedSerial,
} from '@grove/contract/maple/connect/certificate-authority.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { authorityEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertProduct } from '../claim-code/claim-code.service.ts'
import { hasDevice } from '../device-credential/device-credential.queries.ts'
import { assertAllowed, rightsOf } from '../connect.policy.ts'
import { products } from '../product/product.queries.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { refusalOfDevice } from './admit-certificate.ts'
import {
  isSigned,
  keyHashOf,
  problemOfAuthority,
  readCertificate,
  refusalOfEnds,
} from './certificate.ts'
import * as queries from './certificate-authority.queries.ts'
import type { AuthorityFacts } from './certificate-authority.queries.ts'

const what = 'certificate authority'
/** Of everybody's authorities a page shows the newest. */
const maxShown = 200

function shownTo(actor: Actor, facts: AuthorityFacts): CertificateAuthority {
  const { certificate: _, ...shown } = facts
  return { ...shown, rights: rightsOf(actor, facts, { prove: 'authority.prove' }) }
}

async function readOne(db: MapleContext['db'], actor: Actor, id: string) {
  return shownTo(
    actor,
    atRevision(await queries.findAuthority(db, id, everything), undefined, what),
  )
}

export async function readAuthorities(
  { db }: MapleContext,
  actor: Actor,
  { productId }: QueryOf<Calls['GET /api/maple/device/certificate_authority']>,
): Promise<{ items: CertificateAuthority[] }> {
  const read = async () => {
    if (productId === undefined) return queries.listAuthorities(db, scopeOf(actor), maxShown)
    const product = await products.find(db, productId, scopeOf(actor))
    return product ? queries.listOfProduct(db, product) : []
  }
  return { items: (await read()).map((facts) => shownTo(actor, facts)) }
}

type Create = Calls['POST /api/maple/device/certificate_authority']

/** @throws ProblemError `invalid_request`, `limit_reached`, `product_ended` or `service_suspended`. */
export function addAuthority(
  { db, now }: MapleContext,
  actor: Actor,
  { name, certificate: pem, type, state = 'quarantined', productId }: BodyOf<Create>,
): Promise<CertificateAuthority> {
  if (pem.includes('PRIVATE KEY'))
    throw invalidField(
      'certificate',
      'privateKey',
      'This is a private key. Send only the certificate, and keep the key.',
    )
  const certificate = readCertificate(pem)
  if (!certificate)
    throw invalidField(
      'certificate',
      'notCertificate',
      'certificate must be a certificate in PEM, from -----BEGIN CERTIFICATE----- on.',
    )
  const problem = problemOfAuthority(certificate, now())
  if (problem) throw invalidField('certificate', ...problem)
  return db.transaction().execute(async (tx) => {
    const product = productId && (await assertProduct(tx, actor, productId))
    const serviceId = product ? product.serviceId : serviceOf(scopeOf(actor))
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.countAuthorities(tx, serviceId)) >= maxAuthorities)
      throw new ProblemError(
        'limit_reached',
        `There are at most ${maxAuthorities} certificate authorities.`,
      )
    const id = randomUUID()
    await queries.insertAuthority(tx, {
      id,
      serviceId,
      productId: productId ?? null,
      name: storedName('name', name),
      certificate: certificate.raw,
      subject: certificate.subject,
      keyHash: keyHashOf(certificate),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      validFrom: new Date(certificate.validFrom),
      validTo: new Date(certificate.validTo),
      type,
      state,
      // It states its purpose, so that nobody signs it for someone else unknowingly.
      challenge: `grove-certificate-authority-${randomBytes(16).toString('hex')}`,
      createdBy: actor.id,
    })
    const made = await readOne(tx, actor, id)
    const { challenge: _, ...after } = made
    await events.record(tx, actor, 'authority.create', id, { after })
    return made
  })
}

/** @throws ProblemError `not_found`, `transition_refused`, `invalid_request` or `already_exists`. */
export function proveAuthority(
  { db }: MapleContext,
  actor: Actor,
  { id, signature }: { id: string; signature: string },
): Promise<CertificateAuthority> {
  return db.transaction().execute(async (tx) => {
    const found = await queries.lockAuthority(tx, id, scopeOf(actor))
    const before = atRevision(found, undefined, what)
    assertAllowed(actor, 'authority.prove', before)
    const certificate = readCertificate(before.certificate)
    if (!certificate || !isSigned(before.challenge ?? '', signature, certificate))
      throw invalidField(
        'signature',
        'wrongSignature',
        'This is not the signature of the challenge with SHA-256 by the key of this certificate.',
      )
    await queries.proveAuthority(tx, id)
    await events.record(tx, actor, 'authority.prove', id, { after: { name: before.name } })
    return readOne(tx, actor, id)
  })
}

type Change = BodyOf<Calls['PUT /api/maple/device/certificate_authority/{id}']>

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function updateAuthority(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change }: { id: string; revision: number | undefined; change: Change },
): Promise<CertificateAuthority> {
  return db.transaction().execute(async (tx) => {
    const found = await queries.lockAuthority(tx, id, scopeOf(actor))
    const before = atRevision(found, revision, what)
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    await queries.changeAuthority(tx, { ...before, ...change, name })
    const after = await readOne(tx, actor, id)
    if (after.revision !== before.revision)
      await events.record(tx, actor, 'authority.update', id, {
        before: changeable(before),
        after: changeable(after),
      })
    return after
  })
}

const changeable = ({
  name,
  state,
  isEnabled,
}: Pick<AuthorityFacts, 'name' | 'state' | 'isEnabled'>) => ({ name, state, isEnabled })

/** @throws ProblemError `not_found` or `edit_conflict`. */
export async function removeAuthority(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: { id: string; revision: number | undefined },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const found = await queries.lockAuthority(tx, id, scopeOf(actor))
    const before = atRevision(found, revision, what)
    // First, while the authority still tells the event's service provider.
    const { challenge: _, ...shown } = shownTo(actor, before)
    await events.record(tx, actor, 'authority.delete', id, { before: shown })
    await queries.deleteAuthority(tx, id)
  })
  return null
}

/** @throws ProblemError `not_found`. */
export async function readCertificates(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<{ items: DeviceCertificate[] }> {
  atRevision(await queries.findAuthority(db, id, scopeOf(actor)), undefined, what)
  return {
    items: await queries.listCertificates(db, { authorityId: id, limit: shownCertificates }),
  }
}

/** @throws ProblemError `not_found`. */
export async function readCertificatesOfDevice(
  { db, now }: MapleContext,
  actor: Actor,
  { deviceId }: { deviceId: string },
): Promise<{ items: CertificateOfDevice[] }> {
  const scope = scopeOf(actor)
  if (!(await hasDevice(db, deviceId, scope)))
    throw new ProblemError('not_found', 'There is no such device.')
  const found = await queries.listOfDevice(db, { deviceId, scope, limit: shownCertificates })
  return {
    items: found.map(({ facts, authorityValidTo: validTo, ...shown }) => ({
      ...shown,
      refusal: refusalOfDevice(facts) ?? refusalOfEnds(shown, { validTo }, now()) ?? null,
    })),
  }
}

/** Gateways end the connection of the device within seconds. @throws ProblemError `not_found` or `already_exists`. */
export function revokeCertificate(
  { db }: MapleContext,
  actor: Actor,
  { id, serial: given }: { id: string; serial: string },
): Promise<DeviceCertificate> {
  const serial = storedSerial(given)
  return db.transaction().execute(async (tx) => {
    atRevision(await queries.lockAuthority(tx, id, scopeOf(actor)), undefined, what)
    const isNew = await queries.revokeSerial(tx, { authorityId: id, serial, revokedBy: actor.id })
    if (!isNew)
      throw fieldProblem('already_exists', 'serial', 'This serial number is already revoked.')
    await events.record(tx, actor, 'authority.revoke', id, { after: { serial } })
    const [made] = await queries.listCertificates(tx, { authorityId: id, serial, limit: 1 })
    if (!made) throw new Error('A revoked certificate was not stored.')
    return made
  })
}
