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
