import { randomBytes, randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { NewApiKey } from '@grove/contract/cedar/api-key'
import { apiKeyDays, apiKeyPrefix, maxApiKeys } from '@grove/contract/cedar/api-key.rules'
import type { Actor } from '../../../core/actor.ts'
import { keyToken, type VerifiedKey } from '../../../core/http/access.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { holdMaker } from '../../../core/people/hold-maker.ts'
import { record, type CedarContext } from '../context.ts'
import { deleteKey } from '../provider-admin/provider-key.queries.ts'
import { hashOf } from '../provider-admin/provider-key.service.ts'
import { findProvider, lockProvider } from '../provider/provider.queries.ts'
import { requireProvider } from '../provider/provider.service.ts'
import {
  deleteEndedKeys,
  endReplacedKey,
  insertApiKey,
  listApiKeys,
  useApiKey,
} from './api-key.queries.ts'

/** @throws ProblemError `not_found`, also for another owner's provider. */
export async function listKeys(
  context: CedarContext,
  actor: Actor,
  { id }: { id: string },
): Promise<ResponseOf<Calls['GET /api/provider/{id}/key']>> {
  await requireProvider(context, actor, { id })
  return { items: await listApiKeys(context.db, id) }
}

export async function createKey(
  context: CedarContext,
  actor: Actor,
  {
    id: providerId,
    name: given,
    scopes,
    expiresInDays = apiKeyDays[1],
    replaces,
  }: { id: string } & BodyOf<Calls['POST /api/provider/{id}/key']>,
): Promise<NewApiKey> {
  const name = storedName('name', given)
  const key = apiKeyPrefix + randomBytes(32).toString('base64url')
  const id = randomUUID()
  return context.db.transaction().execute(async (db) => {
    // Before checking the members: someone unlinked concurrently cannot create a key afterwards.
    await lockProvider(db, providerId)
    await holdMaker(db, actor)
    // Even an admin creates keys only as a member of the provider: a key acts for its creator.
    const provider = await findProvider(db, providerId, actor.id)
    if (!provider) throw new ProblemError('not_found', 'The provider does not exist.')
    if (provider.is_default)
      throw new ProblemError(
        'provider_is_personal',
        'A personal provider has no devices, and no API keys. Ask an administrator for a provider of your organisation.',
      )
    await deleteEndedKeys(db, providerId)
    if ((await listApiKeys(db, providerId)).length >= maxApiKeys)
      throw new ProblemError(
        'limit_reached',
        `The provider has ${maxApiKeys} API keys, the maximum. Revoke one that is no longer used.`,
      )
    if (replaces !== undefined && !(await endReplacedKey(db, providerId, replaces)))
      throw new ProblemError('not_found', 'The key to replace does not exist.')
    const made = await insertApiKey(db, {
      id,
      providerId,
      name,
      hash: hashOf(context, key),
      last4: key.slice(-4),
      scopes,
      createdBy: actor.id,
      expiresInDays,
    })
    if (!made) throw new Error('The key that was just made is not there.')
    await record(db, actor, 'apiKey.create', id, {
      after: { name, last4: made.last4, scopes, expiresInDays, ...(replaces && { replaces }) },
      of: providerId,
    })
    return { ...made, key }
  })
}

/** @throws ProblemError `not_found`, also for another provider's key. */
export async function revokeKey(
  context: CedarContext,
  actor: Actor,
  { id: providerId, keyId }: { id: string; keyId: string },
): Promise<null> {
  await requireProvider(context, actor, { id: providerId })
  return context.db.transaction().execute(async (db) => {
    const found = (await listApiKeys(db, providerId)).find(({ id }) => id === keyId)
    if (!found || !(await deleteKey(db, providerId, keyId)))
      throw new ProblemError('not_found', 'The provider has no such key.')
    const { name, last4, scopes } = found
    await record(db, actor, 'apiKey.revoke', keyId, {
      before: { name, last4, scopes },
      of: providerId,
    })
    return null
  })
}

/** The identity behind a valid API key. */
export async function verifyApiKey(
  context: CedarContext,
  key: string,
): Promise<VerifiedKey | undefined> {
  const id = await useApiKey(context.db, hashOf(context, key))
  if (id === undefined) return undefined
  const { config, now } = context
  return { kind: 'api', token: keyToken(id, { realm: config.realm, expiresAt: now() }) }
}
