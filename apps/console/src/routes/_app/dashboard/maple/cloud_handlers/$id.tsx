import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { handlerOf } from '../../../../../features/maple/program/cloud-handler/cloud-handler.api.ts'
import { HandlerPage } from '../../../../../features/maple/program/cloud-handler/cloud-handler.page.tsx'
import { handlerPageSearch } from '../../../../../features/maple/program/cloud-handler/cloud-handler.search.ts'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/cloud_handlers/$id')({
  validateSearch: handlerPageSearch,
  loader: ({ context, params: { id } }) => loadItem(context, handlerOf(id), ({ name }) => name),
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
