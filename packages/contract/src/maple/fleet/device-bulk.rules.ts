import { sortedBy } from '../../page.rules.ts'

export const bulkSorting = sortedBy(['createdAt'], 'createdAt', 'desc')

export const bulkActions = [
  'accept',
  'quarantine',
  'retire',
  'addTag',
  'removeTag',
  'setService',
  'setAttribute',
] as const
export type BulkAction = (typeof bulkActions)[number]

/** What a change can be: one that takes back another has its own action. */
export const changeActions = [...bulkActions, 'revert'] as const
export type ChangeAction = (typeof changeActions)[number]

/** Devices that a preview of a revert names. */
export const namedInPreview = 100
