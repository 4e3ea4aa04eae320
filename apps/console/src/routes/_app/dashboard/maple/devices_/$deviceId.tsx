import { createFileRoute } from '@tanstack/react-router'
import { deviceTabSearch } from '../../../../../features/maple/connect/device-page/device-tabs.ts'
import { DevicePage } from '../../../../../features/maple/connect/device-page/device.page.tsx'
import { loadDevice } from '../../../../../features/maple/connect/device-page/load-device.ts'

export const Route = createFileRoute('/_app/dashboard/maple/devices_/$deviceId')({
  validateSearch: deviceTabSearch,
  loader: ({ params: { deviceId } }) => loadDevice(deviceId),
  component: Page,
})

function Page() {
  const { deviceId } = Route.useParams()
  const { tab = 'overview' } = Route.useSearch()
  return <DevicePage key={deviceId} id={deviceId} tab={tab} />
}
