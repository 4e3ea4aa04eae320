import type { MapleAccount } from '@grove/contract'
import { accountValidities } from '@grove/contract/maple/account.rules'
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem } from '../../../api/problem.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'
import { oneOf } from '../../../ui/table/list-search.ts'
import { accountList } from './account.search.ts'

const path = '/api/maple/account'

export const accounts = {
  list: accountList,
  query: ({ validity, ...page }: ReturnType<typeof accountList.page>) => {
    // The service takes one value: both are as good as none.
    const one = oneOf(accountValidities, validity)
    return api.maple.query(path, { query: { ...page, ...(one && { validity: one }) } })
  },
}

/** One account by its id; fails with `not_found` if there is none. */
export const accountQuery = (id: string) =>
  queryOptions({ ...api.maple.query(path, { query: { q: id } }), select: accountOf(id) })

/** The account of a page that an id selected. */
export const accountOf =
  (id: string) =>
  ({ items }: AnswerOf<'GET', typeof path>): MapleAccount => {
    const account = items.find((each) => each.id === id)
    if (!account) throw new ApiProblem({ code: 'not_found' }, 404)
    return account
  }

export const refreshAccounts = () => api.maple.invalidate(path)
