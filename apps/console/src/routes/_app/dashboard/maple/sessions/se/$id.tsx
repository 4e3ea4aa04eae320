import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneSession } from '../../../../../../features/maple/card/session/session.api.ts'
import { SessionPage } from '../../../../../../features/maple/card/session/session.page.tsx'
import { sessionPageSearch } from '../../../../../../features/maple/card/session/session.search.ts'
import { loadItem } from '../../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/se/$id')({
  validateSearch: sessionPageSearch,
  // The chip's serial number, without importing the package that decodes the rest.
  loader: ({ context, params: { id } }) =>
    loadItem(context, oneSession(id), ({ cplc }) => cplc.slice(24, 32)),
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
