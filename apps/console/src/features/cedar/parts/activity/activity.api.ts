import { api } from '../../../../session/api.ts'
import { historyQuery } from '../../../../ui/history/history.tsx'
import { momentsOf, type DayRange } from '../../../../ui/kit/day-range.ts'

/** Whose events: those of one product or provider, or of everything the reader has. */
export interface ActivitySubject {
  productId?: string
  providerId?: string
}

export interface ActivityFilters {
  /** The ID of a person or of an object. */
  q?: string | undefined
  /** Who acted. */
  actor?: string | undefined
  action?: string | undefined
  days: DayRange | null
}

const path = '/api/developer/activity'

/** The query sent to the service. */
export function activityQuery(
  subject: ActivitySubject,
  { q, actor, action, days }: ActivityFilters,
) {
  const moments = days && momentsOf(days)
  return {
    ...subject,
    ...(q !== undefined && q !== '' && { q }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}

export const activityPages = (subject: ActivitySubject, filters: ActivityFilters) => {
  const query = activityQuery(subject, filters)
  return historyQuery(['cedar', path, { query }], (cursor, signal) =>
    api.cedar.get(path, { query: { ...query, limit: 25, ...cursor }, signal }),
  )
}

export const exportActivity = (subject: ActivitySubject, filters: ActivityFilters) =>
  api.cedar.download(`${path}/csv`, { query: activityQuery(subject, filters) })
