import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { devices } from '../../../../features/maple/fleet/device/device.api.ts'
import { DeviceList } from '../../../../features/maple/fleet/device/device.list.tsx'
import { deviceList } from '../../../../features/maple/fleet/device/device.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/devices')({
  staticData: { title: msg`Devices` },
  validateSearch: deviceList.read,
  loaderDeps: ({ search }) => deviceList.deps(search),
  loader: ({ context, deps }) => prefetchList(devices, context, deps),
  component: () => <DeviceList scope="all" />,
})
