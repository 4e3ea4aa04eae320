import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { openMailedLink } from '../../../features/sign-in/link-token.ts'
import { EmailPage } from '../../../features/sign-in/email-page.tsx'

export const Route = createFileRoute('/_app/login/email')({
  beforeLoad: openMailedLink,
  staticData: { title: msg`Email address` },
  component: Page,
})

function Page() {
  const { linkToken } = Route.useRouteContext()
  // A newer link opened in the same tab starts over.
  return <EmailPage key={linkToken} token={linkToken} />
}
