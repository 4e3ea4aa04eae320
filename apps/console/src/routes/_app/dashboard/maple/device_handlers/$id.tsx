import { Trans } from '@lingui/react/macro'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../api/problem.ts'
import { handlerQuery } from '../../../../../features/maple/device-handler/device-handler.api.ts'
import { DeviceHandlerPage } from '../../../../../features/maple/device-handler/device-handler.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/device_handlers/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...handlerQuery(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
      })
    return { title: name, crumb: name, parents: [] }
  },
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
