import {
  deviceSessionSorting,
  deviceSessionStates,
  messageKinds,
} from '@grove/contract/maple/connect/device-session.rules'
import { dayOf } from '../../../../ui/kit/day.ts'
import { momentsOf, daysOf } from '../../../../ui/kit/day-range.ts'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { oneOf, optional, textOf, withOne } from '../../../../ui/table/list-search.ts'

export const deviceSessionList = defineList({
  name: 'maple.device-session',
  sorting: deviceSessionSorting,
  filters: { state: deviceSessionStates },
  columns: ['state', 'from', 'agent', 'messages', 'openedAt', 'endedAt', 'reason'],
})

export const deviceSessionSearch = (search: Record<string, unknown>) =>
  optional({
    ...deviceSessionList.read(search),
    device: textOf(search['device'], 100),
    /** Days in the reader's time zone, both inclusive. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  })
export type DeviceSessionSearch = ReturnType<typeof deviceSessionSearch>

/** The state of a session's page, so that a shared link opens at the same message. */
export const messageSearch = (search: Record<string, unknown>) => {
  const message = Number(search['m'])
  return optional({
    /** The id of a message. */
    m: Number.isSafeInteger(message) && message > 0 ? message : undefined,
    kind: oneOf(messageKinds, search['kind']),
    q: textOf(search['q'], 200),
  })
}

export const isFiltered = (search: DeviceSessionSearch): boolean =>
  [search.state, search.device, daysOf(search) ?? undefined].some((value) => value !== undefined)

export const noFilters = {
  state: undefined,
  device: undefined,
  from: undefined,
  to: undefined,
}

/** The query sent to the service. */
export function deviceSessionQuery(search: DeviceSessionSearch) {
  const { q: _, ...page } = withOne(deviceSessionList.page(search), 'state', deviceSessionStates)
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    ...page,
    device: search.device,
    ...(moments && { from: moments.from, to: moments.before }),
  }
}
