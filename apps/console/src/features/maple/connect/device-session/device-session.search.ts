import {
  deviceSessionSorting,
  deviceSessionStates,
  messageKinds,
} from '@grove/contract/maple/connect/device-session.rules'
import { isDay } from '../../../../ui/kit/day.ts'
import { momentsOf, type DayRange } from '../../../../ui/kit/day-range.ts'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { oneOf, optional, textOf, withOne } from '../../../../ui/table/list-search.ts'

export const deviceSessionList = defineList({
  name: 'maple.device-session',
  sorting: deviceSessionSorting,
  filters: { state: deviceSessionStates },
  columns: ['state', 'from', 'agent', 'messages', 'openedAt', 'endedAt', 'reason'],
})

const dayOf = (value: unknown) => (isDay(value) ? value : undefined)

export const deviceSessionSearch = (search: Record<string, unknown>) =>
  optional({
    ...deviceSessionList.read(search),
    device: textOf(search['device'], 100),
    /** Days of the reader, both included. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  })
export type DeviceSessionSearch = ReturnType<typeof deviceSessionSearch>

/** What the page of a session shows, so that a shared link opens at the same message. */
export const messageSearch = (search: Record<string, unknown>) => {
  const message = Number(search['m'])
  return optional({
    /** The id of a message. */
    m: Number.isSafeInteger(message) && message > 0 ? message : undefined,
    kind: oneOf(messageKinds, search['kind']),
    q: textOf(search['q'], 200),
  })
}

export const daysOf = ({ from, to }: Pick<DeviceSessionSearch, 'from' | 'to'>): DayRange | null =>
  from !== undefined && to !== undefined ? { from, to } : null

export const isFiltered = (search: DeviceSessionSearch): boolean =>
  [search.state, search.device, daysOf(search) ?? undefined].some((value) => value !== undefined)

export const noFilters = {
  state: undefined,
  device: undefined,
  from: undefined,
  to: undefined,
}

/** What the service is asked for. */
export function deviceSessionQuery(search: DeviceSessionSearch) {
  const { state, sort, order, limit, cursor } = withOne(
    deviceSessionList.page(search),
    'state',
    deviceSessionStates,
  )
  const { device } = search
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    limit,
    ...(state && { state }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(cursor !== undefined && { cursor }),
    ...(device !== undefined && { device }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}
