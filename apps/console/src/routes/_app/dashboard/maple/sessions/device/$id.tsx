import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneDeviceSession } from '../../../../../../features/maple/connect/device-session/device-session.api.ts'
import { DeviceSessionPage } from '../../../../../../features/maple/connect/device-session/device-session.page.tsx'
import { messageSearch } from '../../../../../../features/maple/connect/device-session/device-session.search.ts'
import { loadItem } from '../../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/device/$id')({
  validateSearch: messageSearch,
  loader: ({ context, params: { id } }) =>
    loadItem(context, oneDeviceSession(id), ({ deviceName }) => deviceName),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such session</Trans>}
      text={
        <Trans>
          It belongs to another provider, its log has expired and was deleted, or the URL is
          mistyped.
        </Trans>
      }
      list="/dashboard/maple/sessions/device"
      link={<Trans>Go to the sessions</Trans>}
    />
  ),
  component: DeviceSessionRoute,
})

function DeviceSessionRoute() {
  const { id } = Route.useParams()
  return <DeviceSessionPage key={id} id={id} />
}
