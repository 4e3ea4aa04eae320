import { AuthProvider } from '@grove/auth-client/react'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { auth } from '../../../../../session/auth.ts'
import { infoQuery } from '../../../../../session/session.ts'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { AccountSections } from '../../../../../features/account/account-page.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/account/')({
  staticData: { title: msg`Account` },
  // Not awaited: the page shows its frame at once. The rest waits for what the service offers.
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: AccountPage,
})

function AccountPage() {
  return (
    <AuthProvider client={auth}>
      <PageHeader
        title={<Trans>Account</Trans>}
        description={<Trans>How you sign in, and how the console looks.</Trans>}
      />
      <AccountSections />
    </AuthProvider>
  )
}
