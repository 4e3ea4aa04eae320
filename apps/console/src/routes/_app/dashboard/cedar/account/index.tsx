import { AuthProvider } from '@grove/auth-client/react'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { createFileRoute, useRouteContext } from '@tanstack/react-router'
import { auth } from '../../../../../session/auth.ts'
import { infoQuery } from '../../../../../session/session.ts'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { AccountSections } from '../../../../../features/account/account-page.tsx'
import { AccountSection } from '../../../../../features/account/account-section.tsx'

// From another service, so it loads separately.
const Memberships = onDemand(
  () =>
    import('../../../../../features/cedar/user/memberships-section.tsx').then(
      (file) => file.Memberships,
    ),
  'membership',
)
const UserKeys = onDemand(
  () =>
    import('../../../../../features/cedar/user/user-keys-section.tsx').then(
      (file) => file.UserKeys,
    ),
  'membership',
)

export const Route = createFileRoute('/_app/dashboard/cedar/account/')({
  staticData: { title: msg`Account` },
  // Not awaited: the page shows its frame immediately. The rest waits for what the service offers.
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: AccountPage,
})

function AccountPage() {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  return (
    <AuthProvider client={auth}>
      <PageHeader
        title={<Trans>Account</Trans>}
        description={<Trans>How you sign in, and how the console looks.</Trans>}
      />
      <AccountSections>
        {viewer.userId !== null && <Providers id={viewer.userId} />}
      </AccountSections>
    </AuthProvider>
  )
}

/** The reader's providers, and the keys that they created there. */
function Providers({ id }: { id: string }) {
  const { t } = useLingui()
  return (
    <>
      <AccountSection
        title={t`Providers`}
        description={t`Apps and devices belong to a provider, and its members work with them.`}
      >
        <Memberships id={id} />
      </AccountSection>
      <AccountSection
        title={t`Keys`}
        description={t`Keys that you made. They end with your membership and with your account.`}
        action={
          <Link to="/dashboard/maple/keys" preload={false}>
            <Trans>All API keys of your providers</Trans>
          </Link>
        }
      >
        <UserKeys id={id} />
      </AccountSection>
    </>
  )
}
