/** `failed` is a dead letter: no attempt is left. */
export const jobStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]
