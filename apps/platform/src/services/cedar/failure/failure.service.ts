import type { Failure } from '@grove/contract/cedar/failure'
import type { Actor } from '../../../core/actor.ts'
import type { CedarContext } from '../context.ts'
import { findFailures } from './failure.queries.ts'

/** Recent failures of the actor's own providers; administrators also have the pages of jobs. */
export const listFailures = async (
  { db }: CedarContext,
  actor: Actor,
): Promise<{ items: Failure[] }> => ({ items: await findFailures(db, actor.id) })
