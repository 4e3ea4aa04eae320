import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneSession } from '../../../../../../features/maple/card/session/session.api.ts'
import { SessionPage } from '../../../../../../features/maple/card/session/session.page.tsx'
import { sessionPageSearch } from '../../../../../../features/maple/card/session/session.search.ts'
import { Missing } from '../../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/se/$id')({
  validateSearch: sessionPageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { cplc } = await queryClient
      .ensureQueryData({ ...oneSession(id), revalidateIfStale: true })
      .catch(orMissing)
    // The serial number of the chip, without the package that explains the rest.
    const serial = cplc.slice(24, 32)
    return { title: serial, crumb: serial, parents: [] }
  },
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such session</Trans>}
      text={
        <Trans>
          It belongs to another provider, its log has expired and was deleted, or the URL is
          mistyped.
        </Trans>
      }
      list="/dashboard/maple/sessions/se"
      link={<Trans>Go to the sessions</Trans>}
    />
  ),
  component: SessionRoute,
})

function SessionRoute() {
  const { id } = Route.useParams()
  return <SessionPage key={id} id={id} />
}
