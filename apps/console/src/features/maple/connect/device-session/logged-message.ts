import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'

/** A message with the number that orders it in a log. */
export type LoggedMessage = DeviceMessage & { seq: number; place: number }

/** Message IDs order a log; the device's own numbers restart with each boot. */
export const logged = (message: DeviceMessage): LoggedMessage => ({
  ...message,
  place: message.seq,
  seq: message.id,
})
