import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { DeviceList } from '../../../features/maple/fleet/device/device.list.tsx'
import { deviceList } from '../../../features/maple/fleet/device/device.search.ts'

/** The devices of the provider that the reader works with. */
export const Route = createFileRoute('/_app/dashboard/iot')({
  staticData: { title: msg`Devices` },
  validateSearch: deviceList.read,
  // No loader: a prefetch of this page would send a request while another page determines whose
  // devices it shows.
  component: () => <DeviceList scope="own" />,
})
