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

/** The actions of a change: one that reverts another has an action of its own. */
export const changeActions = [...bulkActions, 'revert'] as const
export type ChangeAction = (typeof changeActions)[number]

/** The maximum number of devices named in a preview of a revert. */
export const namedInPreview = 100
