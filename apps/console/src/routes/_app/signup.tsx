import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { SignUpPage } from '../../features/sign-in/sign-up-page.tsx'
import { leaveWhenSignedIn, visitSearch } from '../../features/sign-in/visit-search.ts'
import { addMessages } from '../../ui/i18n/locale.ts'

export const Route = createFileRoute('/_app/signup')({
  validateSearch: visitSearch,
  beforeLoad: async (visit) => {
    await leaveWhenSignedIn(visit)
    return addMessages('sign-in')
  },
  staticData: { title: msg`Create an account` },
  component: Page,
})

function Page() {
  return <SignUpPage from={Route.useSearch().from} />
}
