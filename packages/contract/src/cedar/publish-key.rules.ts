import type { Sorting } from '../page.rules.ts'

export const maxKeyNameLength = 60

/** What every publish key begins with, so that scanners of published secrets know one. */
export const publishKeyPrefix = 'grove_publish_'

/** Days until a key ends; one without an end is made by sending null. */
export const keyDays = [30, 90, 365] as const
export const maxKeyDays = 3650

export const maxPublishKeys = 50

export const publishKeySorting = {
  by: ['createdAt', 'name'],
  default: 'createdAt',
  order: 'desc',
} as const satisfies Sorting
