import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../../api/problem.ts'
import { oneDeviceSession } from '../../../../../../features/maple/device-session/device-session.api.ts'
import { DeviceSessionPage } from '../../../../../../features/maple/device-session/device-session.page.tsx'
import { messageSearch } from '../../../../../../features/maple/device-session/device-session.search.ts'
import { MissingDeviceSession } from '../../../../../../features/maple/device-session/missing-device-session.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/device/$id')({
  validateSearch: messageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { deviceName } = await queryClient
      .ensureQueryData({ ...oneDeviceSession(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
      })
    return { title: deviceName, crumb: deviceName, parents: [] }
  },
  notFoundComponent: MissingDeviceSession,
  component: DeviceSessionRoute,
})

function DeviceSessionRoute() {
  const { id } = Route.useParams()
  return <DeviceSessionPage key={id} id={id} />
}
