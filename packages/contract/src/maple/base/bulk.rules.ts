export const bulkStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type BulkState = (typeof bulkStates)[number]

/** Retention of a bulk change's results for each device. */
export const bulkResultDays = 30
