import { dayOf } from '../../../ui/kit/day.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'

export const activitySearch = (search: Record<string, unknown>) =>
  optional({
    q: textOf(search['q'], 200),
    actor: textOf(search['actor'], 200),
    action: textOf(search['action']),
    /** Days in the reader's time zone, both inclusive. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  })

export const filtersOf = ({ q, actor, action, from, to }: ReturnType<typeof activitySearch>) => ({
  q,
  actor,
  action,
  days: from !== undefined && to !== undefined ? { from, to } : null,
})
