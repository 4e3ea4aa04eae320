import { createFileRoute } from '@tanstack/react-router'
import { loadService } from '../../../../../features/maple/access/service/load-service.ts'
import { ServicePage } from '../../../../../features/maple/access/service/service.page.tsx'
import { serviceSearch } from '../../../../../features/maple/access/service/service.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/providers_/$id')({
  validateSearch: serviceSearch,
  loader: ({ params: { id } }) => loadService(id),
  component: Page,
})

function Page() {
  const { id } = Route.useParams()
  return <ServicePage key={id} id={id} />
}
