import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { callbackAddress } from '../../../features/sign-in/callback-address.ts'
import { addMessages } from '../../../ui/i18n/locale.ts'
import { CallbackPage } from '../../../features/sign-in/callback-page.tsx'

export const Route = createFileRoute('/_app/login/callback')({
  // The loader stays in the entry: the URL must be read before the router drops its parameters.
  codeSplitGroupings: [['component']],
  beforeLoad: () => addMessages('sign-in'),
  loader: () => callbackAddress,
  staticData: { title: msg`Sign in` },
  component: Page,
})

function Page() {
  return <CallbackPage address={Route.useLoaderData()} />
}
