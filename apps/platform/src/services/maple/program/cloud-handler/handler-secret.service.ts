import { randomBytes } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import type { Actor } from '../../../../core/actor.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import { hookSecretName, listSecrets, type SecretOwner } from '../secret/secret.queries.ts'
import * as secrets from '../secret/secret.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { handlerEvents, required } from './cloud-handler.service.ts'
import { hookPath } from './hook-path.ts'

type ById = { id: string }

const ownerOf = (id: string): SecretOwner => ({ type: 'handler', id })

const settingOf =
  (actor: Actor, { id, name }: ById & { name: string }) =>
  (tx: MapleDb) =>
    handlerEvents.record(tx, actor, 'cloud_handler.set_secret', id, { after: { name } })

/** Only names: a value leaves Grove only in request headers. @throws ProblemError `not_found`. */
export async function readSecretNames({ db }: KeyContext, actor: Actor, { id }: ById) {
  await required(db, actor, id)
  return { items: await listSecrets(db, ownerOf(id)) }
}

type Put = BodyOf<Calls['PUT /api/maple/cloud_handlers/{id}/secret']>

/** @throws ProblemError `not_found`, `limit_reached` or `vault_unavailable`. */
export async function setSecret(
  context: KeyContext,
  actor: Actor,
  { id, name, value }: ById & Put,
): Promise<ProgramSecret> {
  await required(context.db, actor, id)
  const given = { name, value, by: actor.id }
  return secrets.setSecret(context, ownerOf(id), given, settingOf(actor, { id, name }))
}

/** @throws ProblemError `not_found`. */
export async function removeSecret(
  context: KeyContext,
  actor: Actor,
  { id, name }: ById & { name: string },
): Promise<null> {
  await required(context.db, actor, id)
  return secrets.removeSecret(context, ownerOf(id), name, (tx) =>
    handlerEvents.record(tx, actor, 'cloud_handler.delete_secret', id, { before: { name } }),
  )
}

/** Replaces the webhook's secret. @throws ProblemError `not_found` or `vault_unavailable`. */
export async function makeHookSecret(context: KeyContext, actor: Actor, { id }: ById) {
  const { hookKey } = await required(context.db, actor, id)
  const value = randomBytes(32).toString('base64url')
  const name = hookSecretName()
  const given = { name, value, by: actor.id }
  await secrets.keepSecret(context, ownerOf(id), given, settingOf(actor, { id, name }))
  return { path: hookPath(hookKey), secret: value }
}
