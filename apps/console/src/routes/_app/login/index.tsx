import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { LoginPage } from '../../../features/sign-in/login-page.tsx'
import { leaveWhenSignedIn, loginSearch } from '../../../features/sign-in/visit-search.ts'

export const Route = createFileRoute('/_app/login/')({
  validateSearch: loginSearch,
  beforeLoad: leaveWhenSignedIn,
  staticData: { title: msg`Sign in` },
  component: Page,
})

function Page() {
  const { from, notice } = Route.useSearch()
  return <LoginPage from={from} notice={notice} />
}
