import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { InvitationList } from '../../../../../features/auth/invitation/invitation.list.tsx'
import { invitationList } from '../../../../../features/auth/invitation/invitation.search.ts'
import { infoQuery } from '../../../../../session/session.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/account/invitations')({
  staticData: { title: msg`Invitations` },
  validateSearch: invitationList.read,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: InvitationList,
})
