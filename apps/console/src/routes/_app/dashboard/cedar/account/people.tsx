import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { infoQuery } from '../../../../../session/sign-in-methods.ts'
import { AccountList } from '../../../../../features/auth/account/account.list.tsx'
import { accountSearch } from '../../../../../features/auth/account/account.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/account/people')({
  staticData: { title: msg`People` },
  validateSearch: accountSearch,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: PeoplePage,
})

function PeoplePage() {
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
