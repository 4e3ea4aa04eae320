import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { accounts } from '../../../../features/maple/account/account.api.ts'
import { AccountList } from '../../../../features/maple/account/account.list.tsx'
import { accountList, accountSearch } from '../../../../features/maple/account/account.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/accounts')({
  staticData: { title: msg`Accounts` },
  validateSearch: accountSearch,
  loaderDeps: ({ search }) => ({ page: accountList.page(search) }),
  loader: ({ context: { queryClient, viewer }, deps: { page } }) => {
    // The shell says to a developer why the page is closed; a request would be refused.
    if (viewer.isAdmin) void queryClient.prefetchQuery(accounts.query(page))
  },
  component: AccountsPage,
})

function AccountsPage() {
  const navigate = Route.useNavigate()
  return (
    <AccountList
      search={Route.useSearch()}
      onSearch={(change, { isTyping = false } = {}) =>
        void navigate({
          search: (now) => accountSearch({ ...now, ...change }),
          replace: isTyping,
          resetScroll: false,
        })
      }
    />
  )
}
