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

export const bulkStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type BulkState = (typeof bulkStates)[number]

/** How long the result for each device of a change is kept. */
export const bulkResultDays = 30
