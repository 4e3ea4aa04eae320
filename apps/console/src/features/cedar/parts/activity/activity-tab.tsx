import { useState } from 'react'
import { ActivityLog } from './activity-log.tsx'
import type { ActivityFilters, ActivitySubject } from './activity.api.ts'

/** The events of one product or provider, as a part of its page. */
export function ActivityTab({ subject }: { subject: ActivitySubject }) {
  const [filters, setFilters] = useState<ActivityFilters>({ days: null })
  return (
    <ActivityLog
      subject={subject}
      filters={filters}
      onFilters={(change) => setFilters((now) => ({ ...now, ...change }))}
    />
  )
}
