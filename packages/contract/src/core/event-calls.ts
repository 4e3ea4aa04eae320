import { eventCallsOf } from './event.ts'

/** The events of every service, by the same call. */
export const eventCalls = {
  ...eventCallsOf('auth'),
  ...eventCallsOf('cedar'),
  ...eventCallsOf('maple', { right: 'event.read', isScoped: true }),
}
