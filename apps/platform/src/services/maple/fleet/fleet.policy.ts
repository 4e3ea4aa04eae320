import type { SecureElement } from '@grove/contract/maple/fleet/element'
import {
  canBecome,
  deviceTransitions,
  type DeviceState,
} from '@grove/contract/maple/fleet/device.rules'
import { definePolicy, refusal } from '../../../core/policy.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
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
  'group.changeDevices': ({ rule }: { rule: object | null }) =>
    rule === null
      ? null
      : refusal(
          'group_has_rule',
          'The rule of the group finds its devices. Change the rule, or make a list.',
        ),
  'group.delete': ({ isTarget }: { isTarget: boolean }) =>
    isTarget
      ? refusal(
          'group_in_use',
          'A rollout that is not over takes its devices from the group. Stop it or change it first.',
        )
      : null,
  'element.delete': ({ device }: Pick<SecureElement, 'device'>) =>
    device
      ? refusal(
          'element_attached',
          `The element is attached to device ${device.id}; detach it there first.`,
        )
      : null,
  'element.hsm': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'terminated'
      ? refusal('transition_refused', 'The card is terminated: its keys can never be used again.')
      : null,
  /** Commands to a card: a terminated one no longer answers. */
  'element.use': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'element.terminate': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'element.unblock': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'blocked' ? null : refusal('transition_refused', 'The element is not blocked.'),
})

const whyUnusable = (state: SecureElement['state']) => {
  if (state === 'terminated')
    return refusal('element_terminated', 'The card is terminated and can no longer be used.')
  return state === 'blocked'
    ? refusal(
        'element_blocked',
        'The keys did not match this element, so it is blocked. Someone with the right to its keys can clear the block.',
      )
    : null
}
