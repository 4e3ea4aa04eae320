import { randomBytes } from 'node:crypto'
import type { Actor } from '../../../../core/actor.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import { hookSecretName } from '../secret/secret.queries.ts'
import { keepSecret, programSecrets } from '../secret/secret.service.ts'
import { handlerEvents, required } from './cloud-handler.service.ts'
import { hookPath } from './hook-path.ts'

export const handlerSecrets = programSecrets({
  type: 'handler',
  required,
  record: (tx, actor, action, id, change) =>
    handlerEvents.record(tx, actor, `cloud_handler.${action}`, id, change),
})

/** Replaces the webhook's secret. @throws ProblemError `not_found` or `vault_unavailable`. */
export async function makeHookSecret(context: KeyContext, actor: Actor, { id }: { id: string }) {
  const { hookKey } = await required(context.db, actor, id)
  const value = randomBytes(32).toString('base64url')
  const name = hookSecretName()
  const given = { name, value, by: actor.id }
  await keepSecret(context, { type: 'handler', id }, given, (tx) =>
    handlerEvents.record(tx, actor, 'cloud_handler.set_secret', id, { after: { name } }),
  )
  return { path: hookPath(hookKey), secret: value }
}
