import { createHash, randomInt, randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import { maxClaimCodes } from '@grove/contract/maple/connect/device-connection.rules'
import { normalizeCplc } from '@grove/secure-element/cplc'
import type { Actor, AnonymousActor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { subscriberOf } from '../../../../core/http/network.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import {
  everything,
  scopeOf,
  scopeOfService,
  serviceOf,
  type Scope,
} from '../../../../core/scope.ts'
import { claimEvents, credentialEvents, type CredentialContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { changeDevice, insertDevice, lockDevice } from '../../fleet/device/device.queries.ts'
import { addNamedElements } from '../../fleet/device/device.service.ts'
import { heldByOthers, proveDevice } from '../../fleet/device/take-over.queries.ts'
import { recordDispute, recordTaking, takeOverDevice } from '../../fleet/device/take-over.ts'
import { findClaimed, listCredentials } from '../device-credential/device-credential.queries.ts'
import { giveSecret, hashOfSecret } from '../device-credential/device-credential.service.ts'
import { assertAllowed } from '../connect.policy.ts'
import { products } from '../product/product.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  countClaimCodes,
  deleteClaimCode,
  deleteExpired,
  findClaimCode,
  findUsableCode,
  insertClaimCode,
  listClaimCodes,
  listCodesOfProduct,
  useClaimCode,
} from './claim-code.queries.ts'

/** Of everybody's codes a page shows the newest. */
const maxShown = 200

/** Crockford's base 32: without letters and digits that look alike. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const makeCode = () => Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')
const shown = (code: string) => code.replaceAll(/.{4}(?=.)/g, '$&-')
const hashOfCode = (code: string) =>
  createHash('sha256').update(code.replaceAll('-', '').toUpperCase()).digest('hex')

export async function readClaimCodes(
  { db }: MapleContext,
  actor: Actor,
  { productId }: QueryOf<Calls['GET /api/maple/device/claim_code']>,
): Promise<{ items: ClaimCode[] }> {
  if (productId === undefined) return { items: await listClaimCodes(db, scopeOf(actor), maxShown) }
  const product = await products.find(db, productId, scopeOf(actor))
  return { items: product ? await listCodesOfProduct(db, productId, maxShown) : [] }
}

type Create = Calls['POST /api/maple/device/claim_code']

/** @throws ProblemError `limit_reached` or `product_ended`. */
export function createClaimCode(
  { db }: MapleContext,
  actor: Actor,
  { name, type, state = 'quarantined', mostUses = 1, hours = 24, productId }: BodyOf<Create>,
): Promise<ResponseOf<Create>> {
  const code = makeCode()
  return db.transaction().execute(async (tx) => {
    const product = productId && (await assertProduct(tx, actor, productId))
    // A product's devices belong to its service provider, whoever creates the code.
    const serviceId = product ? product.serviceId : serviceOf(scopeOf(actor))
    await deleteExpired(tx)
    if ((await countClaimCodes(tx, serviceId)) >= maxClaimCodes)
      throw new ProblemError('limit_reached', `There are at most ${maxClaimCodes} claim codes.`)
    const made = await insertClaimCode(tx, {
      id: randomUUID(),
      name: storedName('name', name),
      serviceId,
      type,
      state,
      productId: productId ?? null,
      mostUses,
      hours,
      createdBy: actor.id,
      codeHash: hashOfCode(code),
    })
    await claimEvents.record(tx, actor, 'claim_code.create', made.id, { after: made })
    return { ...made, code: shown(code) }
  })
}

/** @throws ProblemError `invalid_request` or `product_ended`. */
export async function assertProduct(tx: MapleDb, actor: Actor, id: string) {
  const product = await products.share(tx, id, scopeOf(actor))
  if (!product) throw invalidField('productId', 'exists', `There is no product ${id}.`)
  assertAllowed(actor, 'product.claim', product)
  return product
}

/** @throws ProblemError `not_found`. */
export async function revokeClaimCode(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    // Recorded first: the event takes its service provider from the code.
    const before = await findToRevoke(tx, id, scopeOf(actor))
    await claimEvents.record(tx, actor, 'claim_code.revoke', id, { before })
    await deleteClaimCode(tx, id, scopeOf(actor))
  })
  return null
}

async function findToRevoke(db: MapleDb, id: string, scope: Scope): Promise<ClaimCode> {
  const found = await findClaimCode(db, id, scope)
  if (!found) throw new ProblemError('not_found', 'There is no such claim code.')
  return found
}

type Claim = Calls['POST /api/maple/device/claim']

/** Wrong codes of one address in a minute. Not of all: 60 random bits are not found by trying. */
const wrongOfAddress = 30
const maxAddresses = 100_000

/** Counts wrong codes in this process. @throws ProblemError `too_many_attempts`, before a code is looked up. */
export function openClaimLimit(now: () => number) {
  const addresses = new Map<string, number>()
  let since = now()
  return {
    check({ origin: { ip } }: AnonymousActor) {
      if (now() - since >= 60_000 || now() < since || addresses.size > maxAddresses) {
        addresses.clear()
        since = now()
      }
      if ((addresses.get(subscriberOf(ip)) ?? 0) < wrongOfAddress) return
      throw new ProblemError(
        'too_many_attempts',
        'There were too many wrong claim codes. Wait and try again.',
        { retryAfter: Math.ceil((since + 60_000 - now()) / 1000) },
      )
    },
    wrong({ origin: { ip } }: AnonymousActor) {
      const address = subscriberOf(ip)
      addresses.set(address, (addresses.get(address) ?? 0) + 1)
    },
  }
}

/**
 * Registers the secret that a device generated. A device that repeats its request with the same
 * secret missed the first response: nothing is done twice. An existing registration keeps its state;
 * one that another service provider made since the code was created, and that has neither proof nor
 * activity, gives way.
 * @throws ProblemError `wrong_pairing_code`, `device_id_taken`, `element_attached_elsewhere`,
 * `product_ended` or `too_many_attempts`.
 */
export async function claimDevice(
  context: CredentialContext & { claims: ReturnType<typeof openClaimLimit> },
  actor: AnonymousActor,
  claim: BodyOf<Claim>,
): Promise<ResponseOf<Claim>> {
  context.claims.check(actor)
  try {
    return await useCode(context, actor, claim)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.code === 'wrong_pairing_code') context.claims.wrong(actor)
    // Here, since the refusal undid its transaction.
    if (error.code === 'device_id_taken' || error.code === 'element_attached_elsewhere')
      await recordDisputes(context, actor, claim)
    throw error
  }
}

/** For what the code's service provider claims, and others have. */
async function recordDisputes(
  { db }: CredentialContext,
  actor: AnonymousActor,
  { code, id, elements = [] }: BodyOf<Claim>,
): Promise<void> {
  const found = await findUsableCode(db, hashOfCode(code))
  if (!found) return
  const { serviceId } = found
  const dispute = { of: found.id, serviceId, after: { proof: 'claimCode' } } as const
  const held = await heldByOthers(db, { id, elements: elements.map(normalizeCplc), serviceId })
  for (const device of held.devices)
    await recordDispute(db, actor, 'device.dispute', device, dispute)
  for (const cplc of held.elements) await recordDispute(db, actor, 'element.dispute', cplc, dispute)
}

function useCode(
  context: CredentialContext,
  actor: AnonymousActor,
  { code, id, secret, elements = [] }: BodyOf<Claim>,
): Promise<ResponseOf<Claim>> {
  const { db } = context
  const secretHash = hashOfSecret(secret)
  const proof = 'claimCode'
  return db.transaction().execute(async (tx) => {
    const found = await findUsableCode(tx, hashOfCode(code))
    if (!found) throw wrongCode()
    const { serviceId, id: claimCodeId } = found
    const lock = async () => {
      const known = await lockDevice(tx, id, scopeOfService(serviceId))
      // A code of no service provider speaks for the devices of none.
      const own = known?.serviceId === serviceId ? known : undefined
      const user = own && (await findClaimed(tx, { deviceId: id, secretHash, claimCodeId }))
      return { known: own, user }
    }
    let { known, user } = await lock()
    if (known && user !== undefined) return { id, state: known.state, user }
    if (found.uses >= found.mostUses) throw wrongCode()
    const product = found.productId && (await products.share(tx, found.productId, everything))
    if (product) assertAllowed(actor, 'product.claim', product)
    if (!known) {
      const isTaken = await takeOverDevice(tx, actor, id, {
        serviceId,
        proof,
        since: found.createdAt,
        named: elements.map(normalizeCplc),
      })
      if (await insertDevice(tx, id, newDevice(id, found))) {
        if (isTaken) await recordTaking(tx, actor, id, proof)
      } else {
        // The same device may have asked twice concurrently.
        ;({ known, user } = await lock())
        if (!known) throw taken(id)
        if (user !== undefined) return { id, state: known.state, user }
      }
    }
    if (known) {
      if (known.state === 'retired' || (await listCredentials(tx, id)).length > 0) throw taken(id)
      // A product assigned by a person is kept, and so is a name.
      if (known.productId === null && product) await changeDevice(tx, id, { productId: product.id })
    }
    await proveDevice(tx, id)
    if (elements.length > 0)
      await addNamedElements(tx, actor, id, elements, { serviceId, since: found.createdAt })
    const given = await giveSecret(context, tx, secret, {
      deviceId: id,
      createdBy: null,
      claimCodeId,
    })
    await credentialEvents.record(tx, { id: null, origin: actor.origin }, 'device.claim', id, {
      after: { id, claimCode: found.name },
    })
    // Last, so that the claims of a batch wait for each other's commit and for nothing else.
    if (!(await useClaimCode(tx, claimCodeId))) throw wrongCode()
    return { id, state: known?.state ?? found.state, user: given.id }
  })
}

/** The defaults of a device that registers itself. */
export const newDevice = (
  id: string,
  {
    type,
    state,
    serviceId,
    productId,
  }: Pick<ClaimCode, 'type' | 'state' | 'serviceId' | 'productId'>,
) => ({
  name: id,
  type,
  state,
  innerId: null,
  accountId: null,
  serviceId,
  productId,
  tags: [],
  attributes: {},
})

const wrongCode = () =>
  new ProblemError('wrong_pairing_code', 'The claim code is wrong, expired or used up.')

const taken = (id: string) =>
  new ProblemError('device_id_taken', `The device id ${id} is taken, or the device has a secret.`)
