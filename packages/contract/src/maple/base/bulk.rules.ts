export const bulkStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type BulkState = (typeof bulkStates)[number]

/** How long the result for each device of a change is kept. */
export const bulkResultDays = 30
