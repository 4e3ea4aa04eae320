import type { Account } from '@grove/contract'
import { accountStates } from '@grove/contract/auth/account.rules'
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem } from '../../../api/problem.ts'
import { queryClient } from '../../../api/query-client.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'
import { oneOf } from '../../../ui/table/list-search.ts'
import { accountList } from './account.search.ts'

const path = '/api/admin/account'
type Page = AnswerOf<'GET', typeof path>

export const accounts = {
  list: accountList,
  query: ({ q, state, cursor, limit }: ReturnType<typeof accountList.page>) => {
    // The service takes one state: both are as good as none.
    const one = oneOf(accountStates, state)
    return api.auth.query(path, {
      query: { limit, ...(q && { q }), ...(one && { state: one }), ...(cursor && { cursor }) },
    })
  },
}

/** One account by its id; fails with `not_found` if there is none. */
export const accountQuery = (id: string) =>
  queryOptions({ ...api.auth.query(path, { query: { q: id } }), select: accountOf })

function accountOf({ items: [account] }: Page): Account {
  if (!account) throw new ApiProblem({ code: 'not_found' }, 404)
  return account
}

/** The account as a cached list has it, to show until its own answer arrives. */
export function listedAccount(id: string): Page | undefined {
  const account = queryClient
    .getQueriesData<Page>({ queryKey: ['auth', path] })
    .flatMap(([, page]) => page?.items ?? [])
    .find((each) => each.id === id)
  return account && { items: [account], next: null, previous: null }
}

export const refreshAccounts = () => api.auth.invalidate(path)
