import { canBecome, deviceTransitions, type DeviceState } from '@grove/contract/maple/device.rules'
import { definePolicy, refusal } from '../../core/policy.ts'

/** What admins may do to devices as they are now. */
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
})
