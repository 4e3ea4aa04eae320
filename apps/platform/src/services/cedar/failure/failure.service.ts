import type { Failure } from '@grove/contract/cedar/failure'
import type { Actor } from '../../../core/actor.ts'
import type { CedarContext } from '../context.ts'
import { findFailures } from './failure.queries.ts'

/** What failed lately of the actor's own providers; administrators have the pages of jobs beside. */
export const listFailures = async (
  { db }: CedarContext,
  actor: Actor,
): Promise<{ items: Failure[] }> => ({ items: await findFailures(db, actor.id) })
