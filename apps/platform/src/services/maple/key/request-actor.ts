import type { Actor } from '../../../core/actor.ts'

/** The person who asked for what a job does; the id of the request is where it comes from. */
export const requestActor = (userId: string, requestId: string): Actor => ({
  id: userId,
  roles: [],
  sessionId: undefined,
  origin: { requestId, ip: '', userAgent: 'maple.key' },
})
