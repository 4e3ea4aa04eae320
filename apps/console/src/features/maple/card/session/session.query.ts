import { storedSessionStates } from '@grove/contract/maple/card/session.rules'
import { momentsOf, daysOf } from '../../../../ui/kit/day-range.ts'
import { withOne } from '../../../../ui/table/list-search.ts'
import { sessionList, type SessionSearch } from './session.search.ts'

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

/** The query sent to the service. */
export function sessionQuery(search: SessionSearch) {
  const { cplc, device, openedBy } = search
  const { q: _, ...page } = withOne(sessionList.page(search), 'state', storedSessionStates)
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    ...page,
    cplc,
    device,
    openedBy,
    ...(moments && { from: moments.from, to: moments.before }),
  }
}
