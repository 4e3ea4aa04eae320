import type { Actor } from '../../../../core/actor.ts'
import { everything } from '../../../../core/scope.ts'

/**
 * The person who requested a job's work; the request's id is the origin. Whether they may use the
 * element was checked at the request.
 */
export const requestActor = (userId: string, requestId: string): Actor => ({
  id: userId,
  roles: [],
  sessionId: undefined,
  origin: { requestId, ip: '', userAgent: 'maple.key' },
  mandate: { rights: [], scope: everything },
})
