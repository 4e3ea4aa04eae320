import { sortedBy } from '../../page.rules.ts'

/** `queued` until the device connects, `sent` until it answers; the others are final. */
export const deviceCommandStates = [
  'queued',
  'sent',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
] as const
export type DeviceCommandState = (typeof deviceCommandStates)[number]

export const isUnderWay = (state: DeviceCommandState): boolean =>
  state === 'queued' || state === 'sent'

/** Maximum characters of a command's data, and its nesting depth. */
export const maxCommandDataLength = 32_768
export const deepestCommandData = 14
/** Commands of one device that have no result yet. */
export const maxOpenCommands = 1000
/** Default time that a command waits for its device, in hours. */
export const commandHours = 24
export const maxCommandHours = 720

export const deviceCommandSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
