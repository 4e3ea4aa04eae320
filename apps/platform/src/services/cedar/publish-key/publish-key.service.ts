import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { NewPublishKey } from '@grove/contract/cedar/publish-key'
import { keyDays, maxPublishKeys, publishKeyPrefix } from '@grove/contract/cedar/publish-key.rules'
import type { Actor } from '../../../core/actor.ts'
import { keyToken, type VerifiedKey } from '../../../core/http/access.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { holdMaker } from '../../../core/people/hold-maker.ts'
import { record, type CedarContext } from '../context.ts'
import { searchable } from '../parts/translations.ts'
import { findProvider, lockProvider } from '../provider/provider.queries.ts'
import { requireProvider } from '../provider/provider.service.ts'
import {
  countKeys,
  deleteKey,
  findKey,
  insertKey,
  publishKeyList,
  toKey,
  touchKey,
} from './publish-key.queries.ts'

export async function listKeys(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/developer/publishKey']>,
) {
  const { providerId } = query
  if (providerId !== undefined) await requireProvider(context, actor, { id: providerId })
  const of = providerId === undefined ? { userId: actor.id } : { providerId }
  const page = await publishKeyList.read(context.db, query, of)
  return { ...page, items: page.items.map(toKey) }
}

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

export async function createKey(
  context: CedarContext,
  actor: Actor,
  {
    providerId,
    name: given,
    expiresInDays = keyDays[2],
  }: BodyOf<Calls['POST /api/developer/publishKey']>,
): Promise<NewPublishKey> {
  const name = storedName('name', given)
  await requireProvider(context, actor, { id: providerId })
  const key = publishKeyPrefix + randomBytes(32).toString('base64url')
  const id = randomUUID()
  const ending = key.slice(-4)
  return context.db.transaction().execute(async (db) => {
    // Before checking the members: someone unlinked concurrently cannot create a key afterwards.
    await lockProvider(db, providerId)
    await holdMaker(db, actor)
    if (!(await findProvider(db, providerId, actor.id)))
      throw invalidField(
        'providerId',
        'not_member',
        'Only members of the provider can create its keys.',
      )
    if ((await countKeys(db, providerId)) >= maxPublishKeys)
      throw new ProblemError(
        'limit_reached',
        `The provider has ${maxPublishKeys} publish keys, the maximum. Revoke one that is no longer used.`,
      )
    await insertKey(db, {
      id,
      providerId,
      name,
      searchName: searchable(name),
      sha256: hashOf(key),
      ending,
      createdBy: actor.id,
      expiresInDays,
    })
    await record(db, actor, 'publishKey.create', id, {
      after: { name, ending, expiresInDays },
      of: providerId,
    })
    const made = await findKey(db, id)
    if (!made) throw new Error('The key that was just made is not there.')
    return { ...made, key }
  })
}

/** @throws ProblemError `not_found`, also for another owner's key. */
export async function revokeKey(
  context: CedarContext,
  actor: Actor,
  { id }: { id: string },
): Promise<void> {
  await context.db.transaction().execute(async (db) => {
    const found = await findKey(db, id)
    const isTheirs = found && (await isOfProvider({ db }, actor, found.providerId))
    if (!found || !isTheirs) throw new ProblemError('not_found', 'The key does not exist.')
    const { name, ending, providerId } = found
    await record(db, actor, 'publishKey.revoke', id, { before: { name, ending }, of: providerId })
    await deleteKey(db, id)
  })
}

const isOfProvider = (context: Pick<CedarContext, 'db'>, actor: Actor, id: string) =>
  requireProvider(context, actor, { id }).then(
    () => true,
    () => false,
  )

/** The identity behind a key: a member of its provider, without a person's name. */
export async function verifyKey(
  { db, config, now }: CedarContext,
  key: string,
): Promise<VerifiedKey | undefined> {
  const id = await touchKey(db, hashOf(key))
  if (id === undefined) return undefined
  return { kind: 'publish', token: keyToken(id, { realm: config.realm, expiresAt: now() }) }
}
