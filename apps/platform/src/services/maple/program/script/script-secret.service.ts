import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import type { Actor } from '../../../../core/actor.ts'
import { scriptEvents as events } from '../context.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import { listSecrets, type SecretOwner } from '../secret/secret.queries.ts'
import * as secrets from '../secret/secret.service.ts'
import { readScript } from './script.service.ts'

type ById = { id: string }

const ownerOf = (id: string): SecretOwner => ({ type: 'script', id })

/** Only names: a value goes only to cards, in STORE DATA. @throws ProblemError `not_found`. */
export async function readSecretNames(context: KeyContext, actor: Actor, { id }: ById) {
  await readScript(context, actor, { id })
  return { items: await listSecrets(context.db, ownerOf(id)) }
}

type Put = BodyOf<Calls['PUT /api/maple/scripts/{id}/secret']>

/** @throws ProblemError `not_found`, `limit_reached` or `vault_unavailable`. */
export async function setSecret(
  context: KeyContext,
  actor: Actor,
  { id, name, value }: ById & Put,
): Promise<ProgramSecret> {
  await readScript(context, actor, { id })
  return secrets.setSecret(context, ownerOf(id), { name, value, by: actor.id }, (tx) =>
    events.record(tx, actor, 'script.set_secret', id, { after: { name } }),
  )
}

/** @throws ProblemError `not_found`. */
export async function removeSecret(
  context: KeyContext,
  actor: Actor,
  { id, name }: ById & { name: string },
): Promise<null> {
  await readScript(context, actor, { id })
  return secrets.removeSecret(context, ownerOf(id), name, (tx) =>
    events.record(tx, actor, 'script.delete_secret', id, { before: { name } }),
  )
}
