import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { DeviceList } from '../../../../features/maple/device/device.list.tsx'
import { deviceQuery, devices } from '../../../../features/maple/device/device.api.ts'
import { deviceList, deviceSearch } from '../../../../features/maple/device/device.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/devices')({
  staticData: { title: msg`Devices` },
  validateSearch: deviceSearch,
  loaderDeps: ({ search }) => ({ page: deviceList.page(search), device: search.device }),
  // Not awaited: the page shows its frame at once and the table its skeleton.
  loader: ({ context: { queryClient, viewer }, deps: { page, device } }) => {
    // The shell says to a developer why the page is closed; a request would be refused.
    if (!viewer.isAdmin) return
    void queryClient.prefetchQuery(devices.query(page))
    if (device !== undefined) void queryClient.prefetchQuery(deviceQuery(device))
  },
  component: DevicesPage,
})

function DevicesPage() {
  const navigate = Route.useNavigate()
  return (
    <DeviceList
      search={Route.useSearch()}
      onSearch={(change, { isTyping = false } = {}) =>
        void navigate({
          search: (now) => deviceSearch({ ...now, ...change }),
          replace: isTyping,
          resetScroll: false,
        })
      }
    />
  )
}
