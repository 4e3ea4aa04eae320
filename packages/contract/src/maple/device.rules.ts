import type { Sorting } from '../page.rules.ts'

/** spec §3 "Device types". */
export const deviceTypes = ['iot', 'virtual', 'boot', 'default'] as const
export type DeviceType = (typeof deviceTypes)[number]

export const deviceStates = [
  'pending',
  'accepted',
  'online',
  'offline',
  'quarantined',
  'retired',
] as const
export type DeviceState = (typeof deviceStates)[number]

/** The states that a new device can have; the connection sets `online` and `offline`. */
export const initialDeviceStates = ['pending', 'accepted', 'quarantined'] as const
export type InitialDeviceState = (typeof initialDeviceStates)[number]
export const defaultDeviceState: InitialDeviceState = 'pending'

/** The states that a person can move a device to. */
export const deviceTransitions: Record<DeviceState, readonly DeviceState[]> = {
  pending: ['accepted', 'quarantined', 'retired'],
  accepted: ['quarantined', 'retired'],
  online: ['quarantined', 'retired'],
  offline: ['quarantined', 'retired'],
  quarantined: ['accepted', 'retired'],
  retired: [],
}

/** Whether a device can keep its state or move to another. */
export const canBecome = (from: DeviceState, to: DeviceState): boolean =>
  from === to || deviceTransitions[from].includes(to)

/** Visible ASCII without the separators of a URL, so that an id reads the same in an address. */
export const longestDeviceId = 64
export const deviceIdPattern = `^[A-Za-z0-9][A-Za-z0-9._:-]{0,${longestDeviceId - 1}}$`
export const isDeviceId = (text: string): boolean => new RegExp(deviceIdPattern).test(text)

/** What a wearable is known by inside; the same characters as an id. */
export const innerIdPattern = deviceIdPattern

export const longestDeviceName = 100
export const mostElements = 8

export const deviceSorting = {
  by: ['name', 'id', 'createdAt', 'lastSeenAt'],
  default: 'name',
  order: 'asc',
} as const satisfies Sorting

/** A search looks at this many matches; a count stops here. */
export const deviceSearchLimit = 2_000
export const deviceCountLimit = 10_000
