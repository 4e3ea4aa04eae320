import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { ForgottenPage } from '../../../features/sign-in/forgotten-page.tsx'
import { visitSearch } from '../../../features/sign-in/visit-search.ts'
import { addMessages } from '../../../ui/i18n/locale.ts'

export const Route = createFileRoute('/_app/login/forgotten')({
  validateSearch: visitSearch,
  beforeLoad: () => addMessages('sign-in'),
  staticData: { title: msg`Forgotten password` },
  component: Page,
})

function Page() {
  return <ForgottenPage from={Route.useSearch().from} />
}
