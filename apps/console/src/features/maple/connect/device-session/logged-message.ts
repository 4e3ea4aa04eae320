import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'

/** A message under the number by which a log orders it. */
export type LoggedMessage = DeviceMessage & { seq: number; place: number }

/** The id of a message orders a log; its number in its boot begins again with each. */
export const logged = (message: DeviceMessage): LoggedMessage => ({
  ...message,
  place: message.seq,
  seq: message.id,
})
