import { createFileRoute } from '@tanstack/react-router'
import { loadProvider } from '../../../../../features/cedar/provider/load-provider.ts'
import { ProviderPage } from '../../../../../features/cedar/provider/provider.page.tsx'
import { providerTabSearch } from '../../../../../features/cedar/provider/provider.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/providers_/$providerId')({
  validateSearch: providerTabSearch,
  loader: ({ params: { providerId } }) => loadProvider(providerId),
  component: Page,
})

function Page() {
  const { providerId } = Route.useParams()
  return <ProviderPage key={providerId} id={providerId} />
}
