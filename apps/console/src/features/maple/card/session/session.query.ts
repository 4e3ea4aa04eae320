import { storedSessionStates } from '@grove/contract/maple/card/session.rules'
import { momentsOf, type DayRange } from '../../../../ui/kit/day-range.ts'
import { withOne } from '../../../../ui/table/list-search.ts'
import { sessionList, type SessionSearch } from './session.search.ts'

export const daysOf = ({ from, to }: Pick<SessionSearch, 'from' | 'to'>): DayRange | null =>
  from !== undefined && to !== undefined ? { from, to } : null

export const isFiltered = (search: SessionSearch): boolean =>
  [search.state, search.cplc, search.device, search.openedBy, daysOf(search) ?? undefined].some(
    (value) => value !== undefined,
  )

export const noFilters = {
  state: undefined,
  cplc: undefined,
  device: undefined,
  openedBy: undefined,
  from: undefined,
  to: undefined,
}

/** What the service is asked for. */
export function sessionQuery(search: SessionSearch) {
  const { state, sort, order, limit, cursor } = withOne(
    sessionList.page(search),
    'state',
    storedSessionStates,
  )
  const { cplc, device, openedBy } = search
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    limit,
    ...(state && { state }),
    ...(sort && { sort }),
    ...(order && { order }),
    ...(cursor !== undefined && { cursor }),
    ...(cplc !== undefined && { cplc }),
    ...(device !== undefined && { device }),
    ...(openedBy !== undefined && { openedBy }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}
