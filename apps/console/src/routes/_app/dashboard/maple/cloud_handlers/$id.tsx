import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { handlerOf } from '../../../../../features/maple/program/cloud-handler/cloud-handler.api.ts'
import { HandlerPage } from '../../../../../features/maple/program/cloud-handler/cloud-handler.page.tsx'
import { handlerPageSearch } from '../../../../../features/maple/program/cloud-handler/cloud-handler.search.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/cloud_handlers/$id')({
  validateSearch: handlerPageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...handlerOf(id), revalidateIfStale: true })
      .catch(orMissing)
    return { title: name, crumb: name, parents: [] }
  },
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such cloud handler</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/cloud_handlers"
      link={<Trans>Go to the cloud handlers</Trans>}
    />
  ),
  component: HandlerRoute,
})

function HandlerRoute() {
  const { id } = Route.useParams()
  const { run } = Route.useSearch()
  return <HandlerPage key={id} id={id} run={run} />
}
