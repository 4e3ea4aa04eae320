import { sortedBy } from '../page.rules.ts'

export const maxKeyNameLength = 60

/** Prefix of every publish key, by which secret scanners recognise one. */
export const publishKeyPrefix = 'grove_publish_'

/** Days until a key expires; null creates one without expiry. */
export const keyDays = [30, 90, 365] as const
export const maxKeyDays = 3650

export const maxPublishKeys = 50

export const publishKeySorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')
