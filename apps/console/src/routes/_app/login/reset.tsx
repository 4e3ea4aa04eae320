import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { openMailedLink } from '../../../features/sign-in/link-token.ts'
import { ResetPage } from '../../../features/sign-in/reset-page.tsx'

export const Route = createFileRoute('/_app/login/reset')({
  beforeLoad: openMailedLink,
  staticData: { title: msg`New password` },
  component: Page,
})

function Page() {
  const { linkToken } = Route.useRouteContext()
  // A newer link opened in the same tab starts over.
  return <ResetPage key={linkToken} token={linkToken} />
}
