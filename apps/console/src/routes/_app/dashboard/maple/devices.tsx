import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { DeviceList } from '../../../../features/maple/device/device.list.tsx'
import { DevicePanel } from '../../../../features/maple/device/device.panel.tsx'
import {
  deviceCountQuery,
  deviceListQuery,
  deviceQuery,
} from '../../../../features/maple/device/device.api.ts'
import { deviceSearch, filterOf, pageOf } from '../../../../features/maple/device/device.search.ts'
import styles from '../../../../features/maple/device/devices.module.css'
import { CreateDevice } from '../../../../features/maple/device/form/create-device.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/devices')({
  staticData: { title: msg`Devices` },
  validateSearch: deviceSearch,
  loaderDeps: ({ search }) => ({
    page: pageOf(search),
    filter: filterOf(search),
    device: search.device,
  }),
  // Not awaited: the page shows its frame at once and the table its skeleton.
  loader: ({ context: { queryClient, viewer }, deps: { page, filter, device } }) => {
    // The shell tells a developer why the page stays closed; nothing is asked for in vain.
    if (!viewer.isAdmin) return
    void queryClient.prefetchQuery(deviceListQuery(page))
    void queryClient.prefetchQuery(deviceCountQuery(filter))
    if (device !== undefined) void queryClient.prefetchQuery(deviceQuery(device))
  },
  component: DevicesPage,
})

function DevicesPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const { device, edit = false, create = false } = search

  const onSearch = (change: object, { isTyping = false } = {}) =>
    void navigate({
      search: (now) => deviceSearch({ ...now, ...change }),
      replace: isTyping,
      resetScroll: false,
    })
  const close = () => onSearch({ device: undefined, edit: undefined, create: undefined })

  const createButton = (className: string) => (
    <button
      type="button"
      className={className}
      onClick={() => onSearch({ create: true, device: undefined, edit: undefined })}
    >
      <Plus size={16} aria-hidden />
      <Trans>Register a device</Trans>
    </button>
  )

  return (
    <>
      <div className={styles.page} data-covered={create || device !== undefined || undefined}>
        <PageHeader
          title={<Trans>Devices</Trans>}
          description={<Trans>Every device of the fleet with its secure elements.</Trans>}
          action={createButton('button primary')}
        />
        <DeviceList search={search} onSearch={onSearch} createButton={createButton('button')} />
      </div>
      {create ? (
        <CreateDevice
          onClose={close}
          onCreated={(id) => onSearch({ create: undefined, device: id })}
        />
      ) : (
        device !== undefined && (
          <DevicePanel
            key={device}
            id={device}
            isEditing={edit}
            onEdit={(isEditing) => onSearch({ edit: isEditing || undefined })}
            onClose={close}
          />
        )
      )}
    </>
  )
}
