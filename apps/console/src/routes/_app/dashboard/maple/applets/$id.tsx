import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { applets } from '../../../../../features/maple/card/applet/applet.api.ts'
import { appletPageSearch } from '../../../../../features/maple/card/applet/applet.search.ts'
import { AppletPage } from '../../../../../features/maple/card/applet/applet.page.tsx'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/applets/$id')({
  validateSearch: appletPageSearch,
  loader: ({ context, params: { id } }) =>
    loadItem(
      context,
      applets.one(id),
      ({ items: [applet] }) => applet && `${applet.name} ${applet.version}`,
    ),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such applet</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/applets"
      link={<Trans>Go to the applets</Trans>}
    />
  ),
  component: AppletRoute,
})

function AppletRoute() {
  const { id } = Route.useParams()
  const { element } = Route.useSearch()
  return <AppletPage key={id} id={id} element={element} />
}
