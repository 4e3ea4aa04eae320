import { icSerial } from '@grove/secure-element/cplc'
import { Trans } from '@lingui/react/macro'
import { createFileRoute, notFound, redirect } from '@tanstack/react-router'
import { elementByCplc } from '../../../../../features/maple/card/element/element.api.ts'
import { chipName } from '../../../../../features/maple/card/element/element.labels.tsx'
import { ElementPage } from '../../../../../features/maple/card/element/element.page.tsx'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

const SessionDock = onDemand(
  () =>
    import('../../../../../features/maple/card/session/dock/session-dock.tsx').then(
      (file) => file.SessionDock,
    ),
  'maple-session',
)

export const Route = createFileRoute('/_app/dashboard/maple/secure_elements/$cplc')({
  loader: async ({ context: { queryClient }, params: { cplc } }) => {
    const query = { ...elementByCplc(cplc), revalidateIfStale: true }
    const { items } = await queryClient.ensureQueryData(query).catch(orMissing)
    const [element] = items
    if (!element) throw notFound()
    // A link to a former CPLC, or one typed in lower case.
    if (element.cplc !== cplc)
      throw redirect({
        to: '/dashboard/maple/secure_elements/$cplc',
        params: { cplc: element.cplc },
        replace: true,
      })
    const name = `${chipName(cplc)} · ${icSerial(cplc)}`
    return { title: name, crumb: icSerial(cplc), parents: [] }
  },
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no element with this CPLC</Trans>}
      text={<Trans>It was deleted, or the URL is not that of an element.</Trans>}
      list="/dashboard/maple/secure_elements"
      link={<Trans>Go to the secure elements</Trans>}
    />
  ),
  component: ElementRoute,
})

function ElementRoute() {
  const { cplc } = Route.useParams()
  return <ElementPage key={cplc} cplc={cplc} Dock={SessionDock} />
}
