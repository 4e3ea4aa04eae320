import { AuthProvider } from '@grove/auth-client/react'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { auth } from '../../../../../session/auth.ts'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { RefreshButton } from '../../../../../features/account/details/refresh-button.tsx'
import { TokenSections } from '../../../../../features/account/details/token-page.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/account/details')({
  staticData: { title: msg`Details` },
  component: DetailsPage,
})

function DetailsPage() {
  return (
    <AuthProvider client={auth}>
      <PageHeader
        title={<Trans>Details</Trans>}
        description={<Trans>What your access token contains.</Trans>}
        action={<RefreshButton />}
      />
      <TokenSections />
    </AuthProvider>
  )
}
