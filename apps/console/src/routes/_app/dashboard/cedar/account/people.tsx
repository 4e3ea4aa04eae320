import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { infoQuery } from '../../../../../session/session.ts'
import { AccountList } from '../../../../../features/auth/account/account.list.tsx'
import { accountList } from '../../../../../features/auth/account/account.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/account/people')({
  staticData: { title: msg`People` },
  validateSearch: accountList.read,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: AccountList,
})
