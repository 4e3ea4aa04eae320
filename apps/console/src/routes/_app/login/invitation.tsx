import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { InvitationPage } from '../../../features/sign-in/invitation-page.tsx'
import { openMailedLink } from '../../../features/sign-in/link-token.ts'

export const Route = createFileRoute('/_app/login/invitation')({
  beforeLoad: openMailedLink,
  staticData: { title: msg`Invitation` },
  component: Page,
})

function Page() {
  const { linkToken } = Route.useRouteContext()
  // A newer link opened in the same tab starts over.
  return <InvitationPage key={linkToken} token={linkToken} />
}
