import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { handlerQuery } from '../../../../../features/maple/program/device-handler/device-handler.api.ts'
import { DeviceHandlerPage } from '../../../../../features/maple/program/device-handler/device-handler.page.tsx'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/device_handlers/$id')({
  loader: ({ context, params: { id } }) => loadItem(context, handlerQuery(id), ({ name }) => name),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such device handler</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/device_handlers"
      link={<Trans>Go to the device handlers</Trans>}
    />
  ),
  component: DeviceHandlerRoute,
})

function DeviceHandlerRoute() {
  const { id } = Route.useParams()
  return <DeviceHandlerPage key={id} id={id} />
}
