import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ImageKey } from '@grove/contract/maple/connect/binary-image'
import { maxImageKeys, type KeyAlgorithm } from '@grove/contract/maple/connect/binary-image.rules'
import type { Actor } from '../../../../core/actor.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { imageKeyEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { deleteKey, findKey, insertKey, keysOfService, listKeys } from './image-key.queries.ts'

/** Of everybody's keys a page shows the first. */
const maxShown = 200

export async function readKeys({ db }: MapleContext, actor: Actor): Promise<{ items: ImageKey[] }> {
  return { items: await listKeys(db, scopeOf(actor), maxShown) }
}

/** @throws ProblemError `invalid_request`, `already_exists` or `limit_reached`. */
export function addKey(
  { db }: MapleContext,
  actor: Actor,
  { name, pem }: BodyOf<Calls['POST /api/maple/binary_images/keys']>,
): Promise<ImageKey> {
  const key = readPublicKey(pem)
  const serviceId = serviceOf(scopeOf(actor))
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    const known = await keysOfService(tx, serviceId)
    if (known.length >= maxImageKeys)
      throw new ProblemError('limit_reached', `There are at most ${maxImageKeys} keys.`)
    const same = known.find(({ keyHash }) => keyHash === key.keyHash)
    if (same)
      throw fieldProblem('already_exists', 'pem', `This key is already known, as ${same.name}.`)
    const made = await insertKey(tx, {
      ...key,
      name: storedName('name', name),
      serviceId,
      createdBy: actor.id,
    })
    await events.record(tx, actor, 'image_key.create', made.id, { after: made })
    return made
  })
}

/** @throws ProblemError `not_found`. */
export async function removeKey(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = await findKey(tx, id, scopeOf(actor))
    if (!before) throw new ProblemError('not_found', 'There is no such key.')
    // First, while the key still tells the event's service provider.
    await events.record(tx, actor, 'image_key.delete', id, { before })
    await deleteKey(tx, id)
  })
  return null
}

/**
 * A public key as stored. A private one is refused unread: nobody should send it.
 * @throws ProblemError `invalid_request`.
 */
function readPublicKey(text: string): Pick<ImageKey, 'algorithm' | 'keyHash' | 'pem'> {
  if (text.includes('PRIVATE KEY'))
    throw invalidField('pem', 'privateKey', 'This is a private key. Send only its public key.')
  const key = parse(text)
  const algorithm = key && algorithmOf(key)
  if (!key || !algorithm)
    throw invalidField(
      'pem',
      'publicKey',
      'pem must be a public key in PEM: ECDSA on P-256, RSA with 2048 bits, or Ed25519.',
    )
  return {
    algorithm,
    keyHash: createHash('sha256').update(encodedAsInImages(key)).digest('hex'),
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

function parse(text: string): KeyObject | undefined {
  try {
    return createPublicKey(text)
  } catch {
    return undefined
  }
}

function algorithmOf(key: KeyObject): KeyAlgorithm | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ed25519') return 'ed25519'
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ecdsa-p256'
  return type === 'rsa' && details?.modulusLength === 2048 ? 'rsa-2048' : undefined
}

/** As `imgtool` encodes a public key before it hashes it: RSA without the frame of other keys. */
const encodedAsInImages = (key: KeyObject): Buffer =>
  key.asymmetricKeyType === 'rsa'
    ? key.export({ type: 'pkcs1', format: 'der' })
    : key.export({ type: 'spki', format: 'der' })
