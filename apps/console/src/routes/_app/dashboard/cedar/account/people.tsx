import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { infoQuery } from '../../../../../session/session.ts'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { AccountList } from '../../../../../features/auth/account/account.list.tsx'
import { accountList } from '../../../../../features/auth/account/account.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/account/people')({
  staticData: { title: msg`People` },
  validateSearch: accountList.read,
  // URLs from when a person opened beside the list.
  beforeLoad: ({ search: { account } }) => {
    if (account !== undefined)
      throw redirect({
        to: '/dashboard/cedar/account/people/$userId',
        params: { userId: account },
        replace: true,
      })
  },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: Page,
})

// Another resource's form, with its texts.
const InvitePerson = onDemand(
  () =>
    import('../../../../../features/auth/invitation/invitation.form.tsx').then(
      (file) => file.InvitePerson,
    ),
  'invitation',
)

function Page() {
  const { t } = useLingui()
  const { data: service } = useQuery(infoQuery)
  const canInvite = service?.methods?.includes('invitation')
  return <AccountList {...(canInvite && { create: { label: t`Invite`, form: InvitePerson } })} />
}
