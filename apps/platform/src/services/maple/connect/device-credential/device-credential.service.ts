import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Calls } from '@grove/contract/calls'
import type { DeviceCredential } from '@grove/contract/maple/connect/device-connection'
import type { ResponseOf } from '@grove/contract/call'
import { maxCredentials } from '@grove/contract/maple/connect/device-connection.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { seal } from '../../../../core/sealed.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { credentialEvents, type CredentialContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { lockDevice } from '../../fleet/device/device.queries.ts'
import { sealPurpose } from '../gateway/broker/broker-accounts.ts'
import { addAccount } from '../gateway/broker/broker.queries.ts'
import { assertAllowed } from '../connect.policy.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  deleteCredential,
  hasDevice,
  insertCredential,
  listCredentials,
  type NewCredential,
} from './device-credential.queries.ts'

/** Enough for 256 random bits: guessing is hopeless. */
export const hashOfSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')

const missing = () => new ProblemError('not_found', 'There is no such device.')

/** @throws ProblemError `not_found`. */
export async function readCredentials(
  { db }: MapleContext,
  actor: Actor,
  { deviceId }: { deviceId: string },
): Promise<{ items: DeviceCredential[] }> {
  if (!(await hasDevice(db, deviceId, scopeOf(actor)))) throw missing()
  return { items: await listCredentials(db, deviceId) }
}

type Created = ResponseOf<Calls['POST /api/maple/device/credential']>

/** @throws ProblemError `not_found`, `limit_reached` or `transition_refused`. */
export function createCredential(
  context: CredentialContext,
  actor: Actor,
  { deviceId }: { deviceId: string },
): Promise<Created> {
  const { db } = context
  const secret = randomBytes(32).toString('base64url')
  return db.transaction().execute(async (tx) => {
    const device = await lockDevice(tx, deviceId, scopeOf(actor))
    if (!device) throw missing()
    assertAllowed(actor, 'device.connect', device)
    if ((await listCredentials(tx, deviceId)).length >= maxCredentials)
      throw new ProblemError(
        'limit_reached',
        `A device can have at most ${maxCredentials} secrets. Revoke one first.`,
      )
    const made = await giveSecret(context, tx, secret, {
      deviceId,
      createdBy: actor.id,
      claimCodeId: null,
    })
    await credentialEvents.record(tx, actor, 'credential.create', deviceId, {
      after: { id: made.id },
    })
    return { ...made, secret }
  })
}

/** The device may connect with the secret, also to the broker if there is one. */
export async function giveSecret(
  { settings, sessionSecret }: CredentialContext,
  tx: MapleDb,
  secret: string,
  credential: Pick<NewCredential, 'deviceId' | 'createdBy' | 'claimCodeId'>,
): Promise<DeviceCredential> {
  const id = randomUUID()
  const isAtBroker = settings.brokerUrl !== undefined
  const secretHash = hashOfSecret(secret)
  const made = await insertCredential(tx, { ...credential, id, secretHash, isAtBroker })
  // The broker has to verify it, and stores its own hash.
  if (isAtBroker)
    await addAccount(tx, { userName: id, sealedSecret: seal(secret, sessionSecret, sealPurpose) })
  return made
}

/** Gateways end the connection of the device within seconds. @throws ProblemError `not_found`. */
export async function revokeCredential(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const gone = await deleteCredential(tx, id, scopeOf(actor))
    if (!gone) throw new ProblemError('not_found', 'There is no such secret.')
    await credentialEvents.record(tx, actor, 'credential.revoke', gone.deviceId, {
      before: { id, createdAt: gone.createdAt },
    })
  })
  return null
}
