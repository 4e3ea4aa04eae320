import type { Actor } from '../../../../core/actor.ts'
import { everything } from '../../../../core/scope.ts'

/**
 * The person who asked for what a job does; the id of the request is where it comes from. Whether the
 * element is theirs was checked when they asked.
 */
export const requestActor = (userId: string, requestId: string): Actor => ({
  id: userId,
  roles: [],
  sessionId: undefined,
  origin: { requestId, ip: '', userAgent: 'maple.key' },
  mandate: { rights: [], scope: everything },
})
