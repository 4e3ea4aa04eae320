import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { accounts } from '../../../../features/maple/access/account/account.api.ts'
import { AccountList } from '../../../../features/maple/access/account/account.list.tsx'
import { accountList } from '../../../../features/maple/access/account/account.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/accounts')({
  staticData: { title: msg`Accounts` },
  validateSearch: accountList.read,
  loaderDeps: ({ search }) => accountList.deps(search),
  loader: ({ context, deps }) => prefetchList(accounts, context, deps),
  component: AccountList,
})
