import { defaultPageSize } from '@grove/contract/page.rules'
import { isDay, momentsOf, type DayRange } from '../../../ui/kit/day-range.ts'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'
import { serviceOf } from '../parts/services.ts'

export const eventList = defineList({
  name: 'system.event',
  sorts: [],
  filters: {},
  columns: ['actor', 'subject', 'ip'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
  longestSearch: 200,
})

const dayOf = (value: unknown) => (isDay(value) ? value : undefined)

export const eventSearch = (search: Record<string, unknown>) =>
  optional({
    ...eventList.read(search),
    service: serviceOf(search['service']),
    /** One action, such as `product.update`. */
    action: textOf(search['action']),
    /** Days of the reader, both included. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    /** The event in the side panel. */
    event: textOf(search['event']),
  })

export type EventSearch = ReturnType<typeof eventSearch>

export const daysOf = ({ from, to }: Pick<EventSearch, 'from' | 'to'>): DayRange | null =>
  from !== undefined && to !== undefined ? { from, to } : null

export function eventPage(search: EventSearch) {
  const { q, cursor, limit } = eventList.page(search)
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    limit,
    ...(q !== undefined && { q }),
    ...(cursor !== undefined && { cursor }),
    ...(search.action !== undefined && { action: search.action }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}

export const isFiltered = (search: EventSearch) =>
  search.q !== undefined || search.action !== undefined || daysOf(search) !== null
