import { accountStates, longestEmail } from '@grove/contract/auth/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { listView, oneOf, optional, textOf } from '../../../ui/table/list-search.ts'

export const peopleSearch = (search: Record<string, unknown>) => {
  const { cursor, hide } = listView(search, {
    sorts: [],
    columns: ['name', 'roles', 'state', 'createdAt', 'lastUsedAt', 'action'],
  })
  return optional({
    cursor,
    hide,
    q: textOf(search['q'], longestEmail),
    state: oneOf(accountStates, search['state']),
  })
}

export type PeopleSearch = ReturnType<typeof peopleSearch>

/** The part that selects the accounts. */
export const pageOf = ({ cursor, q, state }: PeopleSearch) =>
  optional({ cursor, q, state, limit: defaultPageSize })
