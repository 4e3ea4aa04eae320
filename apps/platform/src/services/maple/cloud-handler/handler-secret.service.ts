import { randomBytes, randomUUID } from 'node:crypto'
import type { BodyOf, Calls, HandlerSecret } from '@grove/contract'
import { mostHandlerSecrets } from '@grove/contract/maple/handler.rules'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { KeyContext } from '../key/key-provider.ts'
import type { MapleDb } from '../tables.ts'
import { hookSecretName } from './cloud-handler.queries.ts'
import { handlerEvents, required } from './cloud-handler.service.ts'
import { hookPath } from './hook-path.ts'
import { deleteSecret, listSecrets, readSecrets, storeSecret } from './handler-secret.queries.ts'

type ById = { id: string }

/** Names alone: a value leaves in headers of requests and nowhere else. @throws ProblemError `not_found`. */
export async function readSecretNames({ db }: KeyContext, actor: Actor, { id }: ById) {
  await required(db, actor, id)
  return { items: await listSecrets(db, id) }
}

type Put = BodyOf<Calls['PUT /api/maple/cloud_handlers/{id}/secret']>

/** @throws ProblemError `not_found`, `limit_reached` or `vault_unavailable`. */
export async function setSecret(
  context: KeyContext,
  actor: Actor,
  { id, name, value }: ById & Put,
): Promise<HandlerSecret> {
  await required(context.db, actor, id)
  const names = (await listSecrets(context.db, id)).map((secret) => secret.name)
  if (!names.includes(name) && names.length >= mostHandlerSecrets)
    throw new ProblemError('limit_reached', `A handler has at most ${mostHandlerSecrets} secrets.`)
  return keep(context, actor, { id, name, value })
}

/** @throws ProblemError `not_found`. */
export async function removeSecret(
  { db }: KeyContext,
  actor: Actor,
  { id, name }: ById & { name: string },
): Promise<null> {
  await required(db, actor, id)
  await db.transaction().execute(async (tx) => {
    if (!(await deleteSecret(tx, id, name)))
      throw new ProblemError('not_found', `The handler has no secret ${name}.`)
    await handlerEvents.record(tx, actor, 'cloud_handler.delete_secret', id, { before: { name } })
  })
  return null
}

/** Makes the secret of the webhook anew. @throws ProblemError `not_found` or `vault_unavailable`. */
export async function makeHookSecret(context: KeyContext, actor: Actor, { id }: ById) {
  const { hookKey } = await required(context.db, actor, id)
  const secret = randomBytes(32).toString('base64url')
  await keep(context, actor, { id, name: hookSecretName(), value: secret })
  return { path: hookPath(hookKey), secret }
}

async function keep(
  { db, keys }: KeyContext,
  actor: Actor,
  { id, name, value }: ById & { name: string; value: string },
): Promise<HandlerSecret> {
  const secretId = randomUUID()
  const sealed = await keys.vault.keepText(secretId, value)
  return db.transaction().execute(async (tx) => {
    const stored = await storeSecret(tx, id, { id: secretId, name, sealed, by: actor.id })
    await handlerEvents.record(tx, actor, 'cloud_handler.set_secret', id, { after: { name } })
    return stored
  })
}

/** The values of a handler's secrets by name, for a run or a webhook. */
export async function openSecrets(
  { db, keys }: Pick<KeyContext, 'keys'> & { db: MapleDb },
  handlerId: string,
  name?: string,
): Promise<Map<string, string>> {
  const kept = await readSecrets(db, handlerId, name)
  const values = await Promise.all(
    kept.map(
      async ({ id, name: of, sealed }) => [of, await keys.vault.openText(sealed, id)] as const,
    ),
  )
  return new Map(values)
}
