import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import type { Actor } from '../../../core/actor.ts'
import { keyUser } from '../../../core/http/access.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { visibleTo, type CedarContext } from '../context.ts'
import { inLocale } from '../parts/translations.ts'
import { findStage, findStageOfKey } from './stage.queries.ts'

/** @throws ProblemError `not_found` for every provider that the actor cannot work for. */
export async function readStage(
  { db }: CedarContext,
  actor: Actor,
  { providerId }: QueryOf<Calls['GET /api/provider/stage']>,
): Promise<ResponseOf<Calls['GET /api/provider/stage']>> {
  const isKey = actor.id.startsWith(keyUser)
  const ofKey = isKey ? await findStageOfKey(db, actor.id.slice(keyUser.length)) : undefined
  const isAsked = providerId === undefined || providerId === ofKey?.providerId
  const ofPerson =
    isKey || providerId === undefined
      ? undefined
      : await findStage(db, providerId, visibleTo(actor))
  const found = isAsked ? ofKey : ofPerson
  if (!found) throw new ProblemError('not_found', 'You have no such working stage.')
  const { translations, ...stage } = found
  return { ...stage, name: inLocale(translations)?.name ?? stage.providerId }
}
