import type { Notification } from '@grove/contract/cedar/notification'
import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../api/types.ts'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { momentsOf, type DayRange } from '../../../ui/kit/day-range.ts'
import type { ListPage } from '../../../ui/table/types.ts'
import { notificationList, type NotificationSearch } from './notification.search.ts'

export const daysOf = ({ fromDay, toDay }: NotificationSearch): DayRange | null =>
  fromDay !== undefined && toDay !== undefined ? { from: fromDay, to: toDay } : null

/** The query of the history, its file and its statistics. */
export function filtersOf(search: NotificationSearch) {
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  const [productId] = notificationList.knownOf(search, 'productId')
  const [providerId] = notificationList.knownOf(search, 'providerId')
  return {
    ...(productId !== undefined && { productId }),
    ...(providerId !== undefined && { providerId }),
    ...(moments && { fromDate: moments.from, toDate: moments.before }),
  }
}

/** Pages are by offset: the table uses it as its cursor. */
function pageOf({
  items = [],
  // Without an offset, a third-party service's answer is the whole list.
  total = items.length,
  from = 0,
  length = items.length,
}: Partial<AnswerOf<'GET', '/api/notification'>>): ListPage<Notification> {
  const end = from + items.length
  return {
    items,
    next: end < total && items.length > 0 ? String(end) : null,
    previous: from > 0 ? String(Math.max(0, from - length)) : null,
    count: { value: total, isCapped: false },
  }
}

export function historyQuery(search: NotificationSearch) {
  const { limit, cursor = '0' } = notificationList.page(search)
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0
  const query = { ...filtersOf(search), from, length: limit }
  return queryOptions({
    queryKey: ['cedar', '/api/notification', { query }] as const,
    queryFn: async ({ signal }) =>
      pageOf(await api.cedar.get('/api/notification', { query, signal })),
    // Refreshes the counters while it is being sent.
    refetchInterval: ({ state }) => (isMoving(state.data?.items) ? 3000 : false),
  })
}

const isMoving = (items: readonly Notification[] = []) =>
  items.some(
    ({ state, isScheduled }) => state === 'sending' || (state === 'scheduled' && !isScheduled),
  )

export const notificationQuery = (id: string) =>
  queryOptions({
    ...api.cedar.query('/api/notification/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (isMoving(state.data && [state.data]) ? 2000 : false),
  })

export const systemDataQuery = queryOptions(api.cedar.query('/api/notification/systemdata'))

/**
 * The apps to choose from; if there are too many for a list box, the rest are found on their own
 * page.
 */
export const productChoices = queryOptions(
  api.cedar.query('/api/developer/product', { query: { limit: 200, sort: 'title', order: 'asc' } }),
)

export async function refreshNotifications(saved?: Notification) {
  if (saved) queryClient.setQueryData(notificationQuery(saved.id).queryKey, saved)
  await api.cedar.invalidate('/api/notification')
}
