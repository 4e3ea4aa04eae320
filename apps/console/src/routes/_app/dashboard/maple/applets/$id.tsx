import { Trans } from '@lingui/react/macro'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { applets } from '../../../../../features/maple/card/applet/applet.api.ts'
import { appletPageSearch } from '../../../../../features/maple/card/applet/applet.search.ts'
import { AppletPage } from '../../../../../features/maple/card/applet/applet.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/applets/$id')({
  validateSearch: appletPageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { items } = await queryClient
      .ensureQueryData({ ...applets.one(id), revalidateIfStale: true })
      .catch(orMissing)
    const [applet] = items
    if (!applet) throw notFound()
    const name = `${applet.name} ${applet.version}`
    return { title: name, crumb: name, parents: [] }
  },
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
