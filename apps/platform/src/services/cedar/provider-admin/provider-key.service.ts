import { createHmac, randomUUID } from 'node:crypto'
import { apiKeyOverlapHours, isStrongApiKey } from '@grove/contract/cedar/moby-api.rules'
import { fieldProblem, invalidField } from '../../../core/http/problem.ts'
import type { AnyActor } from '../../../core/actor.ts'
import { record, type CedarContext } from '../context.ts'
import type { CedarDb } from '../tables.ts'
import {
  deleteAllKeys,
  deleteKeys,
  findKeyProvider,
  insertKey,
  replaceKey,
} from './provider-key.queries.ts'

type Secret = Pick<CedarContext, 'keySecret'>

/** The stored hash of a key: without the platform's secret it cannot even be brute-forced. */
export const hashOf = ({ keySecret }: Secret, key: string) =>
  createHmac('sha256', keySecret).update(key).digest('hex')

interface NewKey {
  providerId: string
  /** null revokes every key. */
  key: string | null
}

/** Activates a key in the transaction of the change; the previous one stays valid for a while. */
export async function setApiKey(
  context: Secret,
  db: CedarDb,
  { providerId, key }: NewKey,
): Promise<void> {
  if (key === null) {
    await deleteKeys(db, providerId)
    return
  }
  if (!isStrongApiKey(key))
    throw invalidField(
      'mobyApiKey',
      'pattern',
      'The key must be random: 32 to 128 visible ASCII characters, at least 12 of them different. Use the output of: openssl rand -base64 32',
    )
  await replaceKey(db, providerId, apiKeyOverlapHours)
  const hash = hashOf(context, key)
  if (!(await insertKey(db, { id: randomUUID(), providerId, hash, last4: key.slice(-4) })))
    throw fieldProblem(
      'already_exists',
      'mobyApiKey',
      'This key is already in use. Create another one.',
    )
}

/**
 * Ends every key when the platform's secret changes: their hashes depend on it, and the keys
 * themselves are not stored. Returns how many providers need a new one.
 */
export const endApiKeys = (db: CedarDb, actor: AnyActor): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const providers = await deleteAllKeys(tx)
    for (const id of providers) await record(tx, actor, 'provider.key', id, { of: id })
    return providers.length
  })

/** The provider of an API key, if the key is valid and the provider enabled. */
export const providerOfKey = async (
  context: Secret & Pick<CedarContext, 'db'>,
  key: string,
): Promise<string | undefined> => (await findKeyProvider(context.db, hashOf(context, key)))?.id
