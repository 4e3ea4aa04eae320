import {
  hasRawSteps,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { hasRight } from '../../base/right.ts'

type Steps = Pick<TemplateContent, 'steps'>

/** Raw bytes need the same right as in a session. */
export const maySend = (actor: Actor, content: Steps): boolean =>
  !hasRawSteps(content) || hasRight(actor, 'session.raw')

/** @throws ProblemError `forbidden`. */
export function assertMaySend(actor: Actor, content: Steps): void {
  if (!maySend(actor, content))
    throw new ProblemError(
      'forbidden',
      'This template sends raw bytes, which needs the right to send them in sessions.',
    )
}
