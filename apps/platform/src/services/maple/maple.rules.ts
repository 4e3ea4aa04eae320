import { appletTransitions, type AppletState } from '@grove/contract/maple/card/applet.rules'
import {
  binaryImageTransitions,
  type BinaryImageState,
} from '@grove/contract/maple/connect/binary-image.rules'
import {
  mapleProductTransitions,
  type MapleProductState,
} from '@grove/contract/maple/connect/product.rules'
import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { DeviceCommandState } from '@grove/contract/maple/connect/device-command.rules'
import {
  canBecome,
  deviceTransitions,
  type DeviceState,
} from '@grove/contract/maple/fleet/device.rules'
import { errorsOf } from '@grove/contract/maple/rollout/rollout.rules'
import { isLive } from '@grove/contract/maple/card/session.rules'
import type { TemplateState } from '@grove/contract/maple/program/template.rules'
import { isAdmin, type AnyActor } from '../../core/actor.ts'
import { definePolicy, refusal } from '../../core/policy.ts'
import { mayGrant, rightsOfRoles } from './access/role/role.rules.ts'

/** What may be done to an object as it is now, and by whom where that matters. */
export const { can, demand, rightsOf } = definePolicy({
  'device.move': ({ state, to }: { state: DeviceState; to: DeviceState }) => {
    if (canBecome(state, to)) return null
    const allowed = deviceTransitions[state]
    return refusal(
      'transition_refused',
      allowed.length === 0
        ? `A ${state} device stays ${state}.`
        : `A device that is ${state} can become: ${allowed.join(', ')}; not ${to}.`,
    )
  },
  'device.retire': ({ state }: { state: DeviceState }) =>
    state === 'retired'
      ? refusal('transition_refused', 'The device is retired, which is final.')
      : null,
  'device.connect': ({ state }: { state: DeviceState }) =>
    state === 'retired'
      ? refusal('transition_refused', 'The device is retired, so it cannot connect.')
      : null,
  'device.command': ({ state }: { state: DeviceState }, actor: AnyActor) =>
    hasRight(actor, 'device.command')
      ? state === 'retired'
        ? refusal('transition_refused', 'The device is retired, so it does nothing any more.')
        : null
      : refusal('forbidden', 'You do not have the right to do this.'),
  'command.cancel': ({ state }: { state: DeviceCommandState }, actor: AnyActor) => {
    if (!hasRight(actor, 'device.command'))
      return refusal('forbidden', 'You do not have the right to do this.')
    if (state === 'queued') return null
    return refusal(
      'transition_refused',
      state === 'sent'
        ? 'The command was sent, so the device may have run it.'
        : `The command is ${state}, which is final.`,
    )
  },
  'applet.move': ({ state, to }: { state: AppletState; to: AppletState }) => {
    if (appletTransitions[state].includes(to)) return null
    const allowed = appletTransitions[state].join(' or ')
    return refusal(
      'transition_refused',
      allowed === ''
        ? `An applet that is ${state} stays ${state}.`
        : `An applet that is ${state} can become ${allowed}, not ${to}.`,
    )
  },
  'applet.install': ({ state }: { state: AppletState }) =>
    state === 'revoked'
      ? refusal('applet_revoked', 'The applet is revoked, so it can only be uninstalled.')
      : null,
  'image.move': ({ state, to }: { state: BinaryImageState; to: BinaryImageState }) => {
    if (binaryImageTransitions[state].includes(to)) return null
    const allowed = binaryImageTransitions[state].join(' or ')
    return refusal(
      'transition_refused',
      allowed === ''
        ? `An image that is ${state} stays ${state}.`
        : `An image that is ${state} can become ${allowed}, not ${to}.`,
    )
  },
  /** Devices in use get released images alone. */
  'image.install': ({ image, product }: { image: BinaryImageState; product: MapleProductState }) =>
    image === 'released' || (image === 'verified' && product === 'development')
      ? null
      : refusal(
          'binary_image_closed',
          image === 'verified'
            ? 'The image is not released. Only devices of a product in development can get it.'
            : `The image is ${image}, so no device can get it.`,
        ),
  'product.move': ({ state, to }: { state: MapleProductState; to: MapleProductState }) => {
    if (mapleProductTransitions[state].includes(to)) return null
    const allowed = mapleProductTransitions[state].join(' or ')
    return refusal(
      'transition_refused',
      `A product in the state ${state} can become ${allowed}, not ${to}.`,
    )
  },
  'product.claim': ({ state }: { state: MapleProductState }) =>
    state === 'endOfLife'
      ? refusal('product_ended', 'The product is at its end of life: it takes no new devices.')
      : null,
  'authority.prove': ({ challenge }: { challenge: string | null }) =>
    challenge === null
      ? refusal('transition_refused', 'It was shown already that the key is yours.')
      : null,
  'operation.cancel': ({ state }: { state: OperationState }) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The operation has finished.'),
  'operation.retry': ({ state, total, succeeded, unchanged }: OperationProgress) =>
    isUnderWay(state) || succeeded + unchanged === total
      ? refusal(
          'job_not_finished',
          'There is nothing to run again: it runs, or all of it succeeded.',
        )
      : null,
  'template.deprecate': ({ state }: TemplateAt) =>
    state === 'published'
      ? null
      : refusal('transition_refused', `A template that is ${state} cannot be deprecated.`),
  'template.restore': ({ state }: TemplateAt) =>
    state === 'deprecated'
      ? null
      : refusal('transition_refused', 'Only a deprecated template can be taken into use again.'),
  'template.run': ({ state }: TemplateAt) => {
    if (state === 'published') return null
    return refusal(
      'transition_refused',
      state === 'draft'
        ? 'The template has no published version yet.'
        : 'The template is deprecated, so nobody can run it.',
    )
  },
  'template.cancel': ({ state }: { state: OperationState }) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The run has finished.'),
  'applet.delete': ({ elements }: { elements: Count }) =>
    elements.value > 0
      ? refusal(
          'applet_in_use',
          `${countOf(elements)} elements have the applet. Uninstall it there first.`,
        )
      : null,
  /** An admin cannot be locked out: no account takes rights from one with more, or from itself. */
  'account.change': ({ id, roles }: { id: string; roles: readonly string[] }, actor: AnyActor) => {
    if (isAdmin(actor)) return null
    const rights = actor.mandate?.rights ?? []
    if (id === actor.id)
      return refusal('forbidden', 'You cannot change your own account. Another administrator can.')
    return rightsOfRoles(roles).every((right) => rights.includes(right))
      ? null
      : refusal('forbidden', 'The account has rights that you do not have.')
  },
  'role.grant': (role: string, actor: AnyActor) =>
    isAdmin(actor) || mayGrant(actor.mandate?.rights ?? [], role)
      ? null
      : refusal('forbidden', 'You can grant and revoke only roles whose rights you have.'),
  'service.delete': ({ devices, accounts }: ServiceUse) =>
    devices.value + accounts.value > 0
      ? refusal(
          'service_in_use',
          `${countOf(devices)} devices and ${countOf(accounts)} accounts belong to the service provider. Move or delete them first.`,
        )
      : null,
  'element.delete': ({ device }: Pick<SecureElement, 'device'>) =>
    device
      ? refusal(
          'element_attached',
          `The element is attached to device ${device.id}; detach it there first.`,
        )
      : null,
  /** Nobody decides on what they asked for, and each person decides once. */
  'approval.decide': (
    { state, requestedBy, votes }: Pick<Approval, 'state' | 'requestedBy' | 'votes'>,
    actor: AnyActor,
  ) => {
    if (state !== 'pending')
      return refusal('approval_decided', `The request is ${state}, which is final.`)
    if (!hasRight(actor, 'approval.give'))
      return refusal('forbidden', 'You do not have the right to approve.')
    if (requestedBy === actor.id)
      return refusal('own_request', 'You asked for this, so somebody else must decide.')
    return votes.some(({ by }) => by === actor.id)
      ? refusal('own_request', 'You have approved this; it needs another person too.')
      : null
  },
  'approval.withdraw': (
    { state, requestedBy }: Pick<Approval, 'state' | 'requestedBy'>,
    actor: AnyActor,
  ) => {
    if (state !== 'pending')
      return refusal('approval_decided', `The request is ${state}, which is final.`)
    return requestedBy === actor.id || isAdmin(actor)
      ? null
      : refusal('forbidden', 'Only the person who asked can withdraw the request.')
  },
  'element.hsm': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'terminated'
      ? refusal('transition_refused', 'The card is terminated: its keys can never be used again.')
      : null,
  /** What is sent to a card: a terminated one answers nothing any more. */
  'element.use': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'element.terminate': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'card.cancel': ({ state }: Pick<CardOperation, 'state'>) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The operation has finished.'),
  'element.unblock': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'blocked' ? null : refusal('transition_refused', 'The element is not blocked.'),
  /** What a page of programs offers to whom. */
  'program.use': (right: 'program.change' | 'program.run' | 'approval.give', actor: AnyActor) =>
    hasRight(actor, right) ? null : refusal('forbidden', 'You do not have the right to do this.'),
  'rollout.change': ({ state }: RolloutAt) =>
    state === 'draft' ? null : notNow('Only a draft can be changed.'),
  'rollout.start': ({ state }: RolloutAt) =>
    state === 'draft' ? null : notNow('The rollout was started already.'),
  'rollout.pause': ({ state }: RolloutAt) =>
    state === 'running' ? null : notNow('Only a rollout that runs can be paused.'),
  'rollout.resume': ({ state }: RolloutAt) =>
    state === 'paused' ? null : notNow('The rollout is not paused.'),
  'rollout.next': ({ state, groups }: RolloutAt) => {
    if (state !== 'running' && state !== 'paused') return notNow('The rollout does not run.')
    if (groups.some((group) => group.state === 'failed'))
      return notNow('A group failed: resume the rollout and say what becomes of it.')
    return groups.some((group) => group.state === 'waiting')
      ? null
      : notNow('Every group was started.')
  },
  'rollout.stop': ({ state }: RolloutAt) =>
    state === 'running' || state === 'paused' || state === 'ready'
      ? null
      : notNow('The rollout does not run.'),
  'rollout.rollBack': ({ state, groups, hasWayBack }: RolloutAt) => {
    if (state !== 'paused' && state !== 'stopped' && state !== 'finished')
      return notNow('Pause or stop the rollout first.')
    if (groups.every(({ succeeded }) => succeeded === 0))
      return notNow('It succeeded nowhere, so there is nothing to take back.')
    return hasWayBack ? null : refusal('no_way_back', 'Nothing takes back what this program does.')
  },
  'rollout.retry': ({ state, groups }: RolloutAt) => {
    if (state !== 'stopped' && state !== 'finished')
      return notNow('The rollout is not over: a group that failed is retried when it is resumed.')
    return groups.some((group) => errorsOf(group) > 0)
      ? null
      : notNow('It failed nowhere, so there is nothing to retry.')
  },
  'rollout.delete': ({ state, isSource }: RolloutAt) => {
    if (state !== 'draft' && state !== 'stopped' && state !== 'finished')
      return notNow('Stop the rollout first.')
    return isSource ? notNow('Another rollout takes its devices from this one.') : null
  },
  'session.run': (session: SessionAt, actor: AnyActor) =>
    lacksRun(actor) ??
    hasEnded(session) ??
    (session.heldBy === actor.id && actor.id !== null
      ? null
      : refusal(
          'session_held',
          session.heldBy === null
            ? 'The session runs by itself: commands of people would disturb it.'
            : `${session.heldBy} holds the session. Take it over first.`,
        )),
  'session.end': (session: SessionAt, actor: AnyActor) => lacksRun(actor) ?? hasEnded(session),
  'session.takeOver': (session: SessionAt, actor: AnyActor) =>
    lacksRun(actor) ??
    hasEnded(session) ??
    (session.heldBy === null
      ? refusal('session_runs_itself', 'The session runs by itself. It can be ended.')
      : null) ??
    (session.heldBy === actor.id
      ? refusal('already_yours', 'You hold the session already.')
      : null),
})

type TemplateAt = { state: TemplateState }
type SessionAt = Pick<ElementSession, 'state' | 'heldBy'>

interface RolloutAt extends Pick<Rollout, 'state'> {
  /** Something takes back what its program does. */
  hasWayBack: boolean
  /** Another rollout is yet to find its devices in this one. */
  isSource: boolean
  groups: readonly Pick<Rollout['groups'][number], 'state' | 'succeeded' | 'failed' | 'timedOut'>[]
}

const notNow = (detail: string) => refusal('transition_refused', detail)

const whyUnusable = (state: SecureElement['state']) => {
  if (state === 'terminated')
    return refusal(
      'element_terminated',
      'The card is terminated, which is final: nothing can be done with it any more.',
    )
  return state === 'blocked'
    ? refusal(
        'element_blocked',
        'Keys did not fit this element, so it is blocked. Somebody with the right to its keys can let it be tried again.',
      )
    : null
}

const lacksRun = (actor: AnyActor) =>
  isAdmin(actor) || actor.mandate?.rights.includes('session.run')
    ? null
    : refusal('forbidden', 'You do not have the right to do this.')

const hasEnded = ({ state }: SessionAt) =>
  isLive(state) ? null : refusal('session_ended', 'The session has ended. Open a new one.')
/** An admin has every right, except where the call keeps to a mandate. */
const hasRight = (actor: AnyActor, right: string) =>
  actor.mandate?.rights.includes(right) ?? isAdmin(actor)
type OperationState = AppletOperation['state']
type OperationProgress = Pick<AppletOperation, 'state' | 'total' | 'succeeded' | 'unchanged'>
const isUnderWay = (state: OperationState | CardOperation['state']) =>
  state === 'queued' || state === 'running'

interface ServiceUse {
  devices: Count
  accounts: Count
}

interface Count {
  value: number
  isCapped: boolean
}

const countOf = ({ value, isCapped }: Count) => (isCapped ? `More than ${value}` : String(value))
