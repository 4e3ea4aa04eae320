import { canBecome, deviceStates, type DeviceState } from '@grove/contract/maple/fleet/device.rules'

/** Why a state cannot be chosen in the form. */
export type Refusal = 'retiredIsFinal' | 'retireInstead' | 'followsConnection' | 'isPast'

/** Undefined if the state can be chosen, as the current one always can. */
export function refusalOf(from: DeviceState, to: DeviceState): Refusal | undefined {
  if (from === to) return undefined
  if (from === 'retired') return 'retiredIsFinal'
  // Final, so it has its own action with a confirmation.
  if (to === 'retired') return 'retireInstead'
  if (canBecome(from, to)) return undefined
  if (to === 'online' || to === 'offline') return 'followsConnection'
  // A third-party service may not name the device's current state.
  return deviceStates.includes(from) ? 'isPast' : undefined
}
