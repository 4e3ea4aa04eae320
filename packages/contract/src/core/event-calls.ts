import { eventCallsOf, mapleEventCalls } from './event.ts'

/** The events of every service, by the same call. */
export const eventCalls = {
  ...eventCallsOf('auth'),
  ...eventCallsOf('cedar'),
  ...mapleEventCalls,
}
