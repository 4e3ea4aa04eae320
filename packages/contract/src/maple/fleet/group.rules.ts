import type { Sorting } from '../../page.rules.ts'
import { deviceSearchLimit } from './device.rules.ts'

export const groupSorting = {
  by: ['name', 'createdAt'],
  default: 'name',
  order: 'asc',
} as const satisfies Sorting

/** A filter that finds the devices, or a list that people make. */
export const groupKinds = ['rule', 'list'] as const
export type GroupKind = (typeof groupKinds)[number]

export const maxGroupNameLength = 100
export const maxGroupDescriptionLength = 500
/** Groups of one service provider. */
export const maxGroups = 500
/** As many as the list of devices sorts and searches whole; more devices are a rule with a tag. */
export const maxGroupDevices = deviceSearchLimit
/** Devices that one call adds, and that it removes. */
export const maxGroupChange = 500
/** A search looks at this many names. */
export const groupSearchLimit = 1_000
