import { listView, oneOf, optional, textOf } from '../../../ui/table/list-search.ts'

export const peoplePageSize = 50
export const accountStates = ['enabled', 'disabled'] as const

export const peopleSearch = (search: Record<string, unknown>) => {
  const { cursor, hide } = listView(search, {
    sorts: [],
    columns: ['name', 'roles', 'state', 'createdAt', 'lastUsedAt', 'action'],
  })
  return optional({
    cursor,
    hide,
    q: textOf(search['q'], 254),
    state: oneOf(accountStates, search['state']),
  })
}

export type PeopleSearch = ReturnType<typeof peopleSearch>

/** The part of it that says which accounts are asked for. */
export const pageOf = ({ cursor, q, state }: PeopleSearch) =>
  optional({ cursor, q, state, limit: peoplePageSize })
