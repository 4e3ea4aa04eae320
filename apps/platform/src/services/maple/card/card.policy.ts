import type { ArtifactState } from '@grove/contract/core/artifact.rules'
import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import type { ElementSession } from '@grove/contract/maple/card/session'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { isAdmin, type AnyActor } from '../../../core/actor.ts'
import { definePolicy, refusal } from '../../../core/policy.ts'
import { countText, type Count } from '../base/count.ts'
import { isUnderWay } from '../base/under-way.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'applet.install': ({ state }: { state: ArtifactState }) =>
    state === 'revoked'
      ? refusal('applet_revoked', 'The applet is revoked, so it can only be uninstalled.')
      : null,
  'applet.delete': ({ elements }: { elements: Count }) =>
    elements.value > 0
      ? refusal(
          'applet_in_use',
          `${countText(elements)} elements have the applet. Uninstall it there first.`,
        )
      : null,
  'operation.cancel': ({ state }: { state: OperationState }) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The operation has finished.'),
  'operation.retry': ({ state, total, succeeded, unchanged }: OperationProgress) =>
    isUnderWay(state) || succeeded + unchanged === total
      ? refusal(
          'job_not_finished',
          'There is nothing to run again: it is running, or everything succeeded.',
        )
      : null,
  'card.cancel': ({ state }: Pick<CardOperation, 'state'>) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The operation has finished.'),
  'session.run': (session: SessionAt, actor: AnyActor) =>
    lacksRun(actor) ??
    hasEnded(session) ??
    (session.heldBy === actor.id && actor.id !== null
      ? null
      : refusal(
          'session_held',
          session.heldBy === null
            ? 'The session runs automatically: manual commands would disturb it.'
            : `${session.heldBy} is using the session. Take it over first.`,
        )),
  'session.end': (session: SessionAt, actor: AnyActor) => lacksRun(actor) ?? hasEnded(session),
  'session.takeOver': (session: SessionAt, actor: AnyActor) =>
    lacksRun(actor) ??
    hasEnded(session) ??
    (session.heldBy === null
      ? refusal('session_runs_itself', 'The session runs automatically. It can be ended.')
      : null) ??
    (session.heldBy === actor.id
      ? refusal('already_yours', 'You are already using the session.')
      : null),
})

type SessionAt = Pick<ElementSession, 'state' | 'heldBy'>

const lacksRun = (actor: AnyActor) =>
  isAdmin(actor) || actor.mandate?.rights.includes('session.run')
    ? null
    : refusal('forbidden', 'You do not have the right to do this.')

const hasEnded = ({ state }: SessionAt) =>
  isLive(state) ? null : refusal('session_ended', 'The session has ended. Open a new one.')

type OperationState = AppletOperation['state']

type OperationProgress = Pick<AppletOperation, 'state' | 'total' | 'succeeded' | 'unchanged'>
